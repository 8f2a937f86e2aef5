// From what the deck asks and what the machine has to a back end.
#pragma once

#include <memory>
#include <string>

#include "backend.hpp"
#include "config.hpp"
#include "run_record.hpp"
#include "topology.hpp"

namespace jacobi {

/// What this build can do, for the deck reader.
Support build_support();

/// Collective. Makes the back end and tells in `record` which and why, and where every rank is. `auto` takes CUDA when every rank
/// sees a device. Throws Error (collective, failure) when device.backend: cuda cannot be had. `plans`: where it gets the shape of
/// its passes from; by itself it measures and keeps nothing.
std::unique_ptr<Backend> make_backend(const Topology& topology, const Config& config, RunRecord& record, const Plans& plans = {});

/// The text of --list: back ends, devices, transports and rungs of this build, and what this process could use of them.
std::string list_machine(const Topology& topology);
/// A message transport in that text. `no_cuda`: why no device can be used; empty: one can.
std::string transport_line(const struct TransportKind& kind, const std::string& no_cuda);

}  // namespace jacobi
