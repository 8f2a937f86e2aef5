#include "block_order.hpp"

#include <algorithm>

namespace jacobi {

namespace {

/// Each rank's position when node k has the k-th brick of blocks, x fastest, and its ranks follow each other in it, x fastest.
std::vector<int> brick_positions(const Decomposition& d, const std::array<int, 3>& brick, const std::vector<int>& node_of) {
    std::vector<int> met(d.size(), 0);  // ranks of a node so far
    std::vector<int> positions;
    for (const int node : node_of) {
        const int within = met[node]++;
        const std::array<int, 3> bricks{d.ranks[0] / brick[0], d.ranks[1] / brick[1], d.ranks[2] / brick[2]};
        std::array<int, 3> c{within % brick[0], within / brick[0] % brick[1], within / brick[0] / brick[1]};
        const std::array<int, 3> of_node{node % bricks[0], node / bricks[0] % bricks[1], node / bricks[0] / bricks[1]};
        for (int a = 0; a < 3; ++a) c[a] += of_node[a] * brick[a];
        positions.push_back(d.position(c));
    }
    return positions;
}

/// Ranks of each node; 0 where nodes differ.
int ranks_a_node(const std::vector<int>& node_of) {
    std::vector<int> counts(static_cast<std::size_t>(*std::max_element(node_of.begin(), node_of.end())) + 1, 0);
    for (const int node : node_of) ++counts[node];
    return std::count(counts.begin(), counts.end(), counts[0]) == static_cast<int>(counts.size()) ? counts[0] : 0;
}

}  // namespace

Index off_node_cells(const Decomposition& d, const std::vector<int>& node_of) {
    Index cells = 0;
    for (int r = 0; r < d.size(); ++r) {
        const Index3 n = d.block(r).extent();
        for (int f = 0; f < face_count; ++f) {
            const auto neighbour = d.neighbour(r, Direction::face(f));
            if (neighbour && node_of[*neighbour] != node_of[r]) cells += n[(f / 2 + 1) % 3] * n[(f / 2 + 2) % 3];
        }
    }
    return cells;
}

Decomposition arrange_by_node(const Decomposition& plain, const std::vector<int>& node_of) {
    Decomposition best = plain;
    const int together = ranks_a_node(node_of);
    if (together <= 1 || together == plain.size()) return best;
    Index least = off_node_cells(plain, node_of);
    for (int z = together; z >= 1; --z) {
        for (int y = together / z; y >= 1; --y) {
            const std::array<int, 3> brick{together / z / y, y, z};
            if (brick[0] * y * z != together) continue;
            if (plain.ranks[0] % brick[0] != 0 || plain.ranks[1] % y != 0 || plain.ranks[2] % z != 0) continue;
            Decomposition d = plain;
            d.reorder(brick_positions(plain, brick, node_of));
            if (const Index cells = off_node_cells(d, node_of); cells < least) {
                least = cells;
                best = std::move(d);
            }
        }
    }
    return best;
}

}  // namespace jacobi
