// The split of a block into boundary and interior: all 64 combinations of connected faces on many extents.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "shell.hpp"

namespace jacobi {
namespace {

struct Case {
    Index3 extent;
    std::array<bool, face_count> connected;
    Index width;
    int depth;
    Shell shell;

    std::string text() const {
        std::string result = std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " + std::to_string(extent[2]) +
                             ", " + std::to_string(depth) + " layers, x unit " + std::to_string(width) + ", connected";
        for (int f = 0; f < face_count; ++f) result += connected[f] ? std::string(" ") + face_names[f] : "";
        return result;
    }
};

void for_cases(const std::function<void(const Case&)>& visit) {
    for (const auto& [width, depth] : {std::pair<Index, int>{8, 1}, {16, 1}, {32, 1}, {8, 2}, {16, 3}, {8, 11}}) {
        for (const Index nx : {1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 97}) {
            for (const Index ny : {1, 2, 3, 6}) {
                for (const Index nz : {1, 2, 3, 5}) {
                    for (int mask = 0; mask < 64; ++mask) {
                        Case c{{nx, ny, nz}, {}, width, depth, {}};
                        for (int f = 0; f < face_count; ++f) c.connected[f] = (mask >> f & 1) != 0;
                        c.shell = split_shell(c.extent, c.connected, width, depth);
                        visit(c);
                        if (testing::Test::HasFatalFailure()) return;
                    }
                }
            }
        }
    }
}

TEST(Shell, CoversEachCellOnce) {
    std::vector<int> painted;
    for_cases([&](const Case& c) {
        painted.assign(static_cast<std::size_t>(volume(c.extent)), 0);
        const auto paint = [&](const Box& box) {
            for (int a = 0; a < 3; ++a) ASSERT_TRUE(box.lo[a] >= 0 && box.hi[a] <= c.extent[a]) << c.text();
            for (Index z = box.lo[2]; z < box.hi[2]; ++z) {
                for (Index y = box.lo[1]; y < box.hi[1]; ++y) {
                    for (Index x = box.lo[0]; x < box.hi[0]; ++x) ++painted[x + c.extent[0] * (y + c.extent[1] * z)];
                }
            }
        };
        for (const Box& box : c.shell.boundary) {
            ASSERT_FALSE(box.empty()) << c.text();
            paint(box);
        }
        if (!c.shell.interior.empty()) paint(c.shell.interior);
        ASSERT_EQ(std::count(painted.begin(), painted.end(), 1), volume(c.extent)) << c.text();
    });
}

TEST(Shell, KeepsTheInteriorOffEveryConnectedFace) {
    for_cases([](const Case& c) {
        const Box& inner = c.shell.interior;
        if (inner.empty()) return;
        for (int a = 0; a < 3; ++a) {
            if (c.connected[2 * a]) {
                ASSERT_GE(inner.lo[a], c.depth) << c.text();
            }
            if (c.connected[2 * a + 1]) {
                ASSERT_LE(inner.hi[a], c.extent[a] - c.depth) << c.text();
            }
        }
    });
}

TEST(Shell, TakesItsLayersOffAndWholeSectorsAlongX) {
    for_cases([](const Case& c) {
        const Box& inner = c.shell.interior;
        if (inner.empty()) return;
        for (int a = 1; a < 3; ++a) {
            ASSERT_EQ(inner.lo[a], c.connected[2 * a] ? c.depth : 0) << c.text();
            ASSERT_EQ(inner.hi[a], c.extent[a] - (c.connected[2 * a + 1] ? c.depth : 0)) << c.text();
        }
        const Index slab = (c.depth + c.width - 1) / c.width * c.width;
        ASSERT_EQ(inner.lo[0], c.connected[0] ? slab : 0) << c.text();
        if (c.connected[1]) {
            ASSERT_EQ(inner.hi[0] % c.width, 0) << c.text();
            ASSERT_LT(c.extent[0] - inner.hi[0], c.depth + c.width) << c.text();
        } else {
            ASSERT_EQ(inner.hi[0], c.extent[0]) << c.text();
        }
    });
}

TEST(Shell, LeavesAnInteriorWhereTheBlockIsWideEnough) {
    for_cases([](const Case& c) {
        const Index slab = (c.depth + c.width - 1) / c.width * c.width;
        if (c.extent[0] < 2 * slab + c.width || c.extent[1] <= 2 * c.depth || c.extent[2] <= 2 * c.depth) return;
        ASSERT_FALSE(c.shell.interior.empty()) << c.text();
    });
}

TEST(Shell, IsAllInteriorWithoutNeighbours) {
    const Shell shell = split_shell({5, 6, 7}, {}, 8, 2);
    EXPECT_TRUE(shell.boundary.empty());
    EXPECT_EQ(shell.interior, (Box{{0, 0, 0}, {5, 6, 7}}));
}

}  // namespace
}  // namespace jacobi
