// Blocks handed out by node: every rank has one, and never more off-node area than in the plain order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "block_order.hpp"

namespace jacobi {
namespace {

Decomposition grid_of(const std::array<int, 3>& ranks, const std::array<bool, 3>& periodic = {},
                      const Index3& block = {4, 4, 4}) {
    return {{ranks[0] * block[0], ranks[1] * block[1], ranks[2] * block[2]}, periodic, ranks};
}

/// Contiguous ranks on each of `nodes` nodes.
std::vector<int> by_node(int ranks, int nodes) {
    std::vector<int> node_of;
    for (int r = 0; r < ranks; ++r) node_of.push_back(r * nodes / ranks);
    return node_of;
}

void expect_a_permutation(const Decomposition& d) {
    std::vector<int> seen;
    for (int r = 0; r < d.size(); ++r) {
        ASSERT_EQ(d.rank_at(d.coordinates(r)), r);
        seen.push_back(d.position(d.coordinates(r)));
    }
    std::sort(seen.begin(), seen.end());
    std::vector<int> all(d.size());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(seen, all);
}

TEST(BlockOrder, CountsOffNodeCellsFromBothSides) {
    const Decomposition d = grid_of({1, 1, 4});
    EXPECT_EQ(off_node_cells(d, {0, 0, 1, 1}), 2 * 16);
    EXPECT_EQ(off_node_cells(d, {0, 1, 0, 1}), 6 * 16);
    EXPECT_EQ(off_node_cells(grid_of({1, 1, 4}, {false, false, true}), {0, 0, 1, 1}), 4 * 16);
    EXPECT_EQ(off_node_cells(d, {0, 0, 0, 0}), 0);
}

TEST(BlockOrder, RanksOfANodeFormABrick) {
    // Plain: each node of 8 ranks is a rod of 4 x 2 x 1 blocks. Arranged: a cube.
    const Decomposition plain = grid_of({4, 4, 4});
    const std::vector<int> node_of = by_node(64, 8);
    const Decomposition d = arrange_by_node(plain, node_of);
    expect_a_permutation(d);
    for (int node = 0; node < 8; ++node) {
        std::array<int, 3> least{4, 4, 4}, most{0, 0, 0};
        for (int r = 8 * node; r < 8 * node + 8; ++r) {
            const auto c = d.coordinates(r);
            for (int a = 0; a < 3; ++a) least[a] = std::min(least[a], c[a]), most[a] = std::max(most[a], c[a]);
        }
        for (int a = 0; a < 3; ++a) EXPECT_EQ(most[a] - least[a], 1) << "node " << node << ", axis " << axis_names[a];
    }
    EXPECT_EQ(off_node_cells(d, node_of), 2 * 3 * 16 * 16);
    EXPECT_GT(off_node_cells(plain, node_of), off_node_cells(d, node_of));
}

TEST(BlockOrder, UndoesRanksDealtRoundRobin) {
    std::vector<int> node_of;
    for (int r = 0; r < 8; ++r) node_of.push_back(r % 2);
    const Decomposition d = arrange_by_node(grid_of({1, 1, 8}), node_of);
    expect_a_permutation(d);
    EXPECT_EQ(off_node_cells(d, node_of), 2 * 16);
}

TEST(BlockOrder, PlainWhereNothingIsToBeGained) {
    EXPECT_TRUE(arrange_by_node(grid_of({2, 2, 2}), by_node(8, 1)).position_of.empty()) << "one node";
    EXPECT_TRUE(arrange_by_node(grid_of({2, 2, 2}), by_node(8, 8)).position_of.empty()) << "a rank a node";
    EXPECT_TRUE(arrange_by_node(grid_of({1, 1, 8}), by_node(8, 2)).position_of.empty()) << "a slab each already";
    EXPECT_TRUE(arrange_by_node(grid_of({1, 2, 3}), {0, 0, 0, 0, 1, 1}).position_of.empty()) << "nodes of different size";
    EXPECT_TRUE(arrange_by_node(grid_of({1, 1, 1}), {0}).position_of.empty());
}

TEST(BlockOrder, NeverMoreOffNodeAreaThanThePlainOrder) {
    std::mt19937 random(1);
    int better = 0;
    for (int i = 0; i < 3000; ++i) {
        std::array<int, 3> ranks;
        std::array<bool, 3> periodic;
        Index3 cells;
        for (int a = 0; a < 3; ++a) {
            ranks[a] = 1 + static_cast<int>(random() % 5);
            periodic[a] = random() % 2 != 0;
            cells[a] = ranks[a] + static_cast<Index>(random() % 20);
        }
        const Decomposition plain{cells, periodic, ranks};
        std::vector<int> divisors;
        for (int n = 1; n <= plain.size(); ++n) {
            if (plain.size() % n == 0) divisors.push_back(n);
        }
        std::vector<int> node_of = by_node(plain.size(), divisors[random() % divisors.size()]);
        if (i % 3 == 0) std::shuffle(node_of.begin(), node_of.end(), random);
        const Decomposition d = arrange_by_node(plain, node_of);
        ASSERT_NO_FATAL_FAILURE(expect_a_permutation(d));
        const Index before = off_node_cells(plain, node_of), after = off_node_cells(d, node_of);
        ASSERT_LE(after, before);
        better += after < before ? 1 : 0;
    }
    EXPECT_GT(better, 300);
}

}  // namespace
}  // namespace jacobi
