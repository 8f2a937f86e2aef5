// Which cells belong to which rank.
#pragma once

#include <array>
#include <optional>

#include "geometry.hpp"

namespace jacobi {

/// A grid of blocks, ranks[0] x ranks[1] x ranks[2]; the remainder of cells / ranks is spread, so blocks differ by at most one
/// cell an axis. Rank r sits at coordinates (r % px, r / px % py, r / (px py)).
struct Decomposition {
    Index3 cells{0, 0, 0};
    std::array<bool, 3> periodic{false, false, false};
    std::array<int, 3> ranks{1, 1, 1};

    int size() const { return ranks[0] * ranks[1] * ranks[2]; }
    std::array<int, 3> coordinates(int rank) const {
        return {rank % ranks[0], rank / ranks[0] % ranks[1], rank / ranks[0] / ranks[1]};
    }
    int rank_at(const std::array<int, 3>& c) const { return c[0] + ranks[0] * (c[1] + ranks[1] * c[2]); }

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
