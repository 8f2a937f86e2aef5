// How passes of one sweep cover a block: each tile once, those that touch a neighbour first.
#include "cuda/march_plan.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace jacobi::cuda {
namespace {

template <class Visit>
void for_cases(Visit&& visit) {
    for (const int nx : {1, 63, 64, 65, 129, 300}) {
        for (const int ny : {1, 8, 9, 40}) {
            for (const int nz : {1, 5, 6, 31}) {
                for (const int chunk : {1, 4, 6}) {
                    for (unsigned connected = 0; connected < 64; ++connected) {
                        const int n[3] = {nx, ny, nz};
                        visit(march_shape(n, 64, 8, chunk, 3), connected,
                              std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) + ", chunk " +
                                  std::to_string(chunk) + ", faces " + std::to_string(connected));
                        if (testing::Test::HasFatalFailure()) return;
                    }
                }
            }
        }
    }
}

/// From the cells, not from the tile grid: has the tile cells in the layer next to a connected face?
bool has_boundary_cells(const MarchShape& s, unsigned connected, const MarchTile& t) {
    const int place[3] = {t.x, t.y, t.z}, unit[3] = {s.width, s.height, s.chunk};
    for (int a = 0; a < 3; ++a) {
        const bool low = place[a] * unit[a] == 0, high = (place[a] + 1) * unit[a] >= s.n[a];
        if (((connected >> (2 * a) & 1u) != 0 && low) || ((connected >> (2 * a + 1) & 1u) != 0 && high)) return true;
    }
    return false;
}

TEST(MarchPlan, NumbersEachTileOnceThoseThatTouchFirst) {
    for_cases([](const MarchShape& s, unsigned connected, const std::string& where) {
        const TouchingTiles t = touching_tiles(s, connected);
        std::set<std::tuple<int, int, int>> seen;
        for (unsigned k = 0; k < t.count + t.others; ++k) {
            const MarchTile tile = tile_of(s, t, k);
            ASSERT_TRUE(tile.x >= 0 && tile.x < s.tiles[0] && tile.y >= 0 && tile.y < s.tiles[1] && tile.z >= 0 &&
                        tile.z < s.tiles[2])
                << where << ", tile " << k;
            ASSERT_EQ(k < t.count, has_boundary_cells(s, connected, tile)) << where << ", tile " << k;
            ASSERT_EQ(k < t.count, touches(t, tile)) << where << ", tile " << k;
            ASSERT_TRUE(seen.insert({tile.x, tile.y, tile.z}).second) << where << ", tile " << k;
        }
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(s.tiles[0] * s.tiles[1] * s.tiles[2])) << where;
    });
}

TEST(MarchPlan, CoversTheBlockWithinAGrid) {
    for (const int n1 : {1, 100, 600000, 2000000}) {
        for (const int n2 : {1, 1000, 400000}) {
            for (const int strips : {1, 7, 100000}) {
                const int n[3] = {10, n1, n2};
                const MarchShape s = march_shape(n, 64, 8, 6, strips);
                const std::string where = std::to_string(n1) + ", " + std::to_string(n2) + ", " + std::to_string(strips);
                EXPECT_GE(s.tiles[1] * s.height, n1) << where;
                EXPECT_GE(s.tiles[2] * s.chunk, n2) << where;
                EXPECT_GE(static_cast<long>(s.strips) * s.strip_tiles, s.tiles[1]) << where;
                EXPECT_LE(s.strip_tiles, 65535) << where;
                EXPECT_LE(s.tiles[2], 65535) << where;
            }
        }
    }
}

}  // namespace
}  // namespace jacobi::cuda
