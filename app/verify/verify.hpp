// The run's verdict: against a closed form, or bit for bit against the serial solver.
#pragma once

#include <functional>

#include "decomposition.hpp"
#include "run_record.hpp"
#include "topology.hpp"

namespace jacobi {

/// What `auto` stands for.
Verify resolve_verify(const Config& config);

/// Throws Error (usage, collective) when verify.kind: reference would need more memory or time than one core gives in reason.
void require_verifiable(const Config& config);

/// Hands over planes z0 <= z < z1 of this rank's block without gaps, x fastest.
using FieldPlanes = std::function<void(Index z0, Index z1, void* to)>;

/// Collective: checks the field after record.iterations sweeps as the deck asks. A field that is not finite fails, whatever was
/// asked.
Verification verify_field(const Topology& topology, const Decomposition& decomposition, const FieldPlanes& field,
                          const Config& config, const RunRecord& record);

}  // namespace jacobi
