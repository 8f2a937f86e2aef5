// Properties of the decomposition over thousands of (grid, ranks) pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "decomposition.hpp"
#include "error.hpp"

namespace jacobi {
namespace {

using Ranks = std::array<int, 3>;

std::string text(const Decomposition& d) {
    std::string result;
    for (int a = 0; a < 3; ++a) {
        result += std::to_string(d.cells[a]) + (d.periodic[a] ? " periodic" : "") + " / " + std::to_string(d.ranks[a]) +
                  (a < 2 ? ", " : "");
    }
    return result;
}

std::vector<Ranks> factorisations(int size) {
    std::vector<Ranks> all;
    for (int x = 1; x <= size; ++x) {
        for (int y = 1; size % x == 0 && y <= size / x; ++y) {
            if (size / x % y == 0) all.push_back({x, y, size / x / y});
        }
    }
    return all;
}

bool fits(const Index3& cells, const Ranks& ranks) {
    return ranks[0] <= cells[0] && ranks[1] <= cells[1] && ranks[2] <= cells[2];
}

/// Paints every block's cells: each cell of the grid must be painted once.
void expect_exact_tiling(const Decomposition& d) {
    const Index3& n = d.cells;
    std::vector<int> painted(static_cast<std::size_t>(volume(n)), 0);
    for (int r = 0; r < d.size(); ++r) {
        const Box box = d.block(r);
        for (int a = 0; a < 3; ++a) {
            ASSERT_TRUE(0 <= box.lo[a] && box.lo[a] < box.hi[a] && box.hi[a] <= n[a]) << text(d) << ", rank " << r;
        }
        for (Index z = box.lo[2]; z < box.hi[2]; ++z) {
            for (Index y = box.lo[1]; y < box.hi[1]; ++y) {
                for (Index x = box.lo[0]; x < box.hi[0]; ++x) ++painted[x + n[0] * (y + n[1] * z)];
            }
        }
    }
    ASSERT_EQ(std::count(painted.begin(), painted.end(), 1), volume(n)) << text(d);
}

void expect_even_blocks(const Decomposition& d) {
    for (int a = 0; a < 3; ++a) {
        Index least = std::numeric_limits<Index>::max(), most = 0;
        for (int r = 0; r < d.size(); ++r) {
            const Index n = d.block(r).extent()[a];
            least = std::min(least, n);
            most = std::max(most, n);
        }
        ASSERT_LE(most - least, 1) << text(d) << ", axis " << axis_names[a];
    }
}

/// In all 26 directions: the neighbour's block begins where this one ends, and the neighbour finds the way back.
void expect_neighbours(const Decomposition& d) {
    for (int r = 0; r < d.size(); ++r) {
        ASSERT_EQ(d.rank_at(d.coordinates(r)), r) << text(d);
        const Box mine = d.block(r);
        for (int code = 0; code < Direction::count; ++code) {
            const Direction direction{code};
            const auto offset = direction.offset();
            bool inside = true;
            for (int a = 0; a < 3; ++a) {
                const bool at_face = (offset[a] < 0 && mine.lo[a] == 0) || (offset[a] > 0 && mine.hi[a] == d.cells[a]);
                inside = inside && (d.periodic[a] || !at_face);
            }
            const auto other = d.neighbour(r, direction);
            const std::string where = text(d) + ", rank " + std::to_string(r) + " " + name(direction);
            ASSERT_EQ(other.has_value(), inside) << where;
            if (!other) continue;
            ASSERT_EQ(d.neighbour(*other, direction.opposite()), r) << where;
            const Box theirs = d.block(*other);
            for (int a = 0; a < 3; ++a) {
                if (offset[a] == 0) {
                    ASSERT_TRUE(theirs.lo[a] == mine.lo[a] && theirs.hi[a] == mine.hi[a]) << where;
                } else if (offset[a] > 0) {
                    ASSERT_EQ(theirs.lo[a], mine.hi[a] % d.cells[a]) << where;
                } else {
                    ASSERT_EQ(theirs.hi[a] % d.cells[a], mine.lo[a]) << where;
                }
            }
        }
    }
}

void expect_all(const Decomposition& d) {
    expect_exact_tiling(d);
    expect_even_blocks(d);
    expect_neighbours(d);
}

void expect_refusal(const std::function<Decomposition()>& work, const std::string& where) {
    try {
        work();
        FAIL() << where << ": no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.exit(), Exit::usage) << where;
        EXPECT_TRUE(error.collective()) << where;
        EXPECT_NE(std::string(error.what()).find("ranks"), std::string::npos) << error.what();
    }
}

TEST(Decomposition, HoldsItsPropertiesForThousandsOfGridsAndRanks) {
    std::mt19937 random(1);
    int possible = 0, impossible = 0;
    for (int i = 0; i < 4000; ++i) {
        Index3 cells;
        std::array<bool, 3> periodic{};
        for (int a = 0; a < 3; ++a) {
            cells[a] = 1 + static_cast<Index>(random() % (i % 2 ? 14 : 4));  // every second grid is smaller than its ranks allow
            periodic[a] = random() % 2 != 0;
        }
        const int size = 1 + static_cast<int>(random() % 40);
        const auto all = factorisations(size);
        if (std::any_of(all.begin(), all.end(), [&](const Ranks& ranks) { return fits(cells, ranks); })) {
            const Decomposition d = decompose(cells, periodic, size);
            ASSERT_TRUE(d.cells == cells && d.periodic == periodic && d.size() == size) << text(d);
            ASSERT_NO_FATAL_FAILURE(expect_all(d));
            ++possible;
        } else {
            expect_refusal([&] { return decompose(cells, periodic, size); }, text({cells, periodic, {size, 0, 0}}));
            ++impossible;
        }
    }
    EXPECT_GT(possible, 1000);
    EXPECT_GT(impossible, 500);
}

TEST(Decomposition, TakesEveryFactorisationThatTheUserGives) {
    const Index3 cells{5, 7, 12};
    for (int size = 1; size <= 24; ++size) {
        for (const Ranks& ranks : factorisations(size)) {
            for (int mask = 0; mask < 8; ++mask) {
                const std::array<bool, 3> periodic{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
                if (!fits(cells, ranks)) {
                    expect_refusal([&] { return decompose(cells, periodic, size, ranks); }, text({cells, periodic, ranks}));
                    continue;
                }
                const Decomposition d = decompose(cells, periodic, size, ranks);
                ASSERT_EQ(d.ranks, ranks);
                ASSERT_NO_FATAL_FAILURE(expect_all(d));
            }
        }
    }
}

TEST(Decomposition, RefusesFactorsThatMakeAnotherNumberOfRanks) {
    expect_refusal([] { return decompose({8, 8, 8}, {}, 4, {2, 2, 2}); }, "2 x 2 x 2 for 4 ranks");
    expect_refusal([] { return decompose({1 << 20, 1 << 20, 1 << 20}, {}, 1, {65536, 65536, 1}); }, "a product of 2^32");
    expect_refusal([] { return decompose({1, 1, 1}, {}, 2); }, "one cell for two ranks");
    expect_refusal([] { return decompose({100, 100, 1}, {}, 101); }, "a prime above every axis");
}

TEST(Decomposition, CutsOneWideBlocks) {
    const Decomposition d = decompose({6, 1, 1}, {true, true, true}, 6);
    EXPECT_EQ(d.ranks, (Ranks{6, 1, 1}));
    for (int r = 0; r < 6; ++r) {
        EXPECT_EQ(d.block(r), (Box{{r, 0, 0}, {r + 1, 1, 1}}));
        EXPECT_EQ(d.neighbour(r, Direction::face(2)), r);
    }
}

TEST(Decomposition, WrapsAPeriodicAxisOfOneOrTwoRanks) {
    const Decomposition one = decompose({8, 8, 8}, {true, true, true}, 1);
    for (int code = 0; code < Direction::count; ++code) EXPECT_EQ(one.neighbour(0, {code}), 0);
    const Decomposition two = decompose({8, 8, 8}, {true, false, true}, 2, {1, 1, 2});
    for (int r : {0, 1}) {
        EXPECT_EQ(two.neighbour(r, Direction::of(0, 0, -1)), 1 - r);  // the same rank on both sides
        EXPECT_EQ(two.neighbour(r, Direction::of(0, 0, 1)), 1 - r);
        EXPECT_EQ(two.neighbour(r, Direction::of(1, 0, 0)), r);
        EXPECT_EQ(two.neighbour(r, Direction::of(0, 1, 0)), std::nullopt);
    }
}

TEST(Decomposition, DoesNotOverflowNearTheLargestIndex) {
    const Index largest = std::numeric_limits<Index>::max();
    for (const Index n : {largest, largest - 1, largest / 2 + 7}) {
        for (const int size : {1, 2, 3, 4096, 65537}) {
            for (int axis = 0; axis < 3; ++axis) {
                Index3 cells{1, 1, 1};
                cells[axis] = n;
                const Decomposition d = decompose(cells, {true, true, true}, size);
                ASSERT_EQ(d.ranks[axis], size);
                Index end = 0;
                for (int r = 0; r < size; ++r) {
                    const Box box = d.block(r);
                    ASSERT_EQ(box.lo[axis], end) << text(d) << ", rank " << r;
                    ASSERT_TRUE(box.extent()[axis] == n / size || box.extent()[axis] == n / size + 1)
                        << text(d) << ", rank " << r;
                    end = box.hi[axis];
                }
                ASSERT_EQ(end, n) << text(d);
            }
        }
    }
}

TEST(Decomposition, PrefersCutsAlongZOfEqualShapes) {
    for (const bool periodic : {false, true}) {
        for (Index n = 4; n <= 40; n += 3) {
            for (int size = 1; size <= 64; ++size) {
                const auto all = factorisations(size);
                if (std::none_of(all.begin(), all.end(), [n](const Ranks& r) { return fits({n, n, n}, r); })) continue;
                const Decomposition d = decompose({n, n, n}, {periodic, periodic, periodic}, size);
                EXPECT_TRUE(d.ranks[0] <= d.ranks[1] && d.ranks[1] <= d.ranks[2]) << text(d);
            }
        }
    }
    EXPECT_EQ(decompose({512, 512, 512}, {}, 2).ranks, (Ranks{1, 1, 2}));
    EXPECT_EQ(decompose({512, 512, 512}, {true, true, true}, 2).ranks, (Ranks{1, 1, 2}));
}

TEST(Decomposition, FollowsTheGridsExtents) {
    EXPECT_EQ(decompose({10000, 16, 16}, {}, 4).ranks, (Ranks{4, 1, 1}));
    EXPECT_EQ(decompose({16, 10000, 16}, {}, 4).ranks, (Ranks{1, 4, 1}));
    EXPECT_EQ(decompose({16, 16, 10000}, {}, 4).ranks, (Ranks{1, 1, 4}));
    // 8 ranks on a cube: near-cubic blocks, where slabs would exchange twice as many cells.
    EXPECT_LE(decompose({512, 512, 512}, {}, 64).ranks[2], 8);
    EXPECT_GE(decompose({512, 512, 512}, {}, 64).ranks[1], 4);
}

}  // namespace
}  // namespace jacobi
