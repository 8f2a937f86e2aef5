// Which configurations a table has, in which order.
#pragma once

#include "bench_options.hpp"

namespace jacobi::bench {

/// Sizes, then problems, precisions and depths; of one depth staged messages first, since the others are compared with them.
/// Fills in what the options leave open: `backend` is the one in use, `transports` and `rungs` are those of the build.
std::vector<Case> plan(const BenchOptions& options, const std::string& backend, int ranks, const Support& build);

/// What other configurations' bits mean: messages over MPI behind a barrier.
bool is_staged(const Case& c);

/// Sweeps after which digests are compared: enough for every asked depth that the back end offers (`most` sweeps a pass) to have
/// done full passes and a shallower one, as many as small blocks do in no time, and the same for all configurations of a size.
Index verified_sweeps(const Index3& cells, const std::vector<Case>& cases, int most);

}  // namespace jacobi::bench
