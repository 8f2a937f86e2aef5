// The examination of one pair of ranks.
#pragma once

#include "pair_memory.hpp"

namespace jacobi::doctor {

/// Both members of a pair call this at once; `node_rank` is the partner's. Opens, lets each write and the other look on its own
/// side, then exchanges flags. Returns this rank's direction. Throws nothing: what fails is in the result.
PairResult check_pair(PairMemory& memory, int node_rank, Talk& talk);

}  // namespace jacobi::doctor
