// Ranks as processes of this machine: which of them are in no state to answer, for the errors of those that wait for them.
#pragma once

#include <string>

#include "topology.hpp"

namespace jacobi {

/// "stopped", "waits for a device or disk", "ended"; empty where the process runs or merely sleeps.
std::string state_of_process(int pid);

/// For the end of an error: "; in no state to answer: rank 1 (node07, process 4711, stopped)", with all ranks whose processes
/// this one can see and that are in such a state. Empty where there are none. Reads /proc and asks no rank, so any thread may
/// call it at any time.
std::string silent_ranks(const Topology& topology);

}  // namespace jacobi
