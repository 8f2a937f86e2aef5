// In which order the pairs of a node are examined.
#pragma once

#include <utility>
#include <vector>

namespace jacobi::doctor {

using PairRound = std::vector<std::pair<int, int>>;  ///< pairs (lower, higher) without a common member

/// Rounds in which each two of n ranks meet exactly once. `alone`: one pair a round, so that no other disturbs what it measures;
/// else as many at a time as there are, which takes n - 1 rounds, n for odd n.
std::vector<PairRound> pair_rounds(int n, bool alone);

}  // namespace jacobi::doctor
