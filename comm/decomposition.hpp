// Which cells belong to which rank.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "geometry.hpp"

namespace jacobi {

/// A grid of blocks, ranks[0] x ranks[1] x ranks[2]; the remainder of cells / ranks is spread, so blocks differ by at most one
/// cell an axis. The block at position p has the coordinates (p % px, p / px % py, p / (px py)); in the plain order rank r has
/// the block at position r.
struct Decomposition {
    Index3 cells{0, 0, 0};
    std::array<bool, 3> periodic{false, false, false};
    std::array<int, 3> ranks{1, 1, 1};

    std::vector<int> position_of{};  ///< by rank; empty: the plain order
    std::vector<int> rank_of{};      ///< by position, the inverse

    int size() const { return ranks[0] * ranks[1] * ranks[2]; }
    int position(const std::array<int, 3>& c) const { return c[0] + ranks[0] * (c[1] + ranks[1] * c[2]); }
    std::array<int, 3> coordinates(int rank) const {
        const int p = position_of.empty() ? rank : position_of[rank];
        return {p % ranks[0], p / ranks[0] % ranks[1], p / ranks[0] / ranks[1]};
    }
    int rank_at(const std::array<int, 3>& c) const { return rank_of.empty() ? position(c) : rank_of[position(c)]; }

    /// Another order: rank r gets the block at positions[r], a permutation.
    void reorder(std::vector<int> positions);

    /// Global cells of a rank.
    Box block(int rank) const;

    /// The rank on the other side, which may be `rank` itself on a periodic axis; none beyond a Dirichlet face.
    std::optional<int> neighbour(int rank, Direction direction) const;
};

/// The factorisation of `size` with the least modelled cost of a sweep: the largest block's cells plus what its halo faces
/// cost, x faces (strided in memory) more than y and z faces. Throws Error (usage, "ranks" in the message) when no factorisation
/// leaves every rank at least one cell.
Decomposition decompose(const Index3& cells, const std::array<bool, 3>& periodic, int size);

/// The same with the user's factors: throws Error (usage) when their product is not `size` or an axis has too few cells.
Decomposition decompose(const Index3& cells, const std::array<bool, 3>& periodic, int size, const std::array<int, 3>& ranks);

}  // namespace jacobi
