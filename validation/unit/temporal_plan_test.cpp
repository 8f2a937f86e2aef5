// How passes of several sweeps cover a block: each cell stored once, from a window that holds all it depends on.
#include "cuda/temporal_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace jacobi::cuda {
namespace {

constexpr WindowShape window_shapes[] = {
    {64, 32, 2, 4, 4}, {64, 64, 2, 4, 3}, {128, 32, 4, 4, 2}, {64, 32, 2, 4, 1}, {32, 16, 4, 8, 5}};

template <class Visit>
void for_cases(Visit&& visit) {
    for (const WindowShape& window : window_shapes) {
        for (const int nx : {1, 4, 5, 17, 63, 64, 65, 131}) {
            for (const int ny : {1, 5, 31, 32, 33, 61}) {
                for (const int nz : {1, 6, 11}) {
                    for (unsigned mask = 0; mask < 64; mask += mask < 15 ? 1 : 7) {
                        std::array<bool, face_count> connected;
                        for (int f = 0; f < face_count; ++f) connected[f] = (mask >> f & 1u) != 0;
                        const std::string where = std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) +
                                                  ", window " + std::to_string(window.width) + " x " +
                                                  std::to_string(window.height) + ", depth " + std::to_string(window.depth) +
                                                  ", mask " + std::to_string(mask);
                        visit(std::array<int, 3>{nx, ny, nz}, connected, window, where);
                        if (testing::Test::HasFatalFailure()) return;
                    }
                }
            }
        }
    }
}

TEST(TemporalPlan, StoresEachCellOnce) {
    std::vector<int> stored;
    for_cases([&](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        for (const int chunks : {1, 2, 5}) {
            const TemporalPlan plan = plan_temporal(n, connected, window.depth, window, chunks);
            stored.assign(static_cast<std::size_t>(n[0]) * n[1] * n[2], 0);
            for (const Segment& s : plan.segments) {
                ASSERT_TRUE(s.x_lo >= 0 && s.y_lo >= 0 && s.z_lo >= 0 && s.x_hi <= n[0] && s.y_hi <= n[1] && s.z_hi <= n[2])
                    << where;
                for (int z = s.z_lo; z < s.z_hi; ++z) {
                    for (int y = s.y_lo; y < s.y_hi; ++y) {
                        for (int x = s.x_lo; x < s.x_hi; ++x) ++stored[static_cast<std::size_t>((z * n[1] + y) * n[0] + x)];
                    }
                }
            }
            ASSERT_EQ(static_cast<std::size_t>(std::count(stored.begin(), stored.end(), 1)), stored.size()) << where;
        }
    });
}

TEST(TemporalPlan, WindowsHoldWhatTheirCellsDependOn) {
    for_cases([](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        for (const Segment& s : plan_temporal(n, connected, window.depth, window, 1).segments) {
            ASSERT_EQ(s.x % window.unit, 0) << where;
            const int start[2] = {s.x, s.y}, lo[2] = {s.x_lo, s.y_lo}, hi[2] = {s.x_hi, s.y_hi};
            const int size[2] = {window.width, window.height};
            for (int a = 0; a < 2; ++a) {
                // `depth` cells more at each side, but none beyond a Dirichlet face, which stands in for its neighbours.
                const int reach_lo = connected[2 * a] ? -window.depth : 0,
                          reach_hi = n[a] + (connected[2 * a + 1] ? window.depth : 0);
                ASSERT_LE(start[a], std::max(reach_lo, lo[a] - window.depth)) << where;
                ASSERT_GE(start[a] + size[a], std::min(reach_hi, hi[a] + window.depth)) << where;
                // The kernel lets the - face stand in only where a window starts with it.
                if (!connected[2 * a]) {
                    ASSERT_GE(start[a], 0) << where;
                }
            }
        }
    });
}

TEST(TemporalPlan, PutsWhatTouchesANeighbourFirst) {
    for_cases([](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        const TemporalPlan plan = plan_temporal(n, connected, window.depth, window, 3);
        for (int i = 0; i < static_cast<int>(plan.segments.size()); ++i) {
            const Segment& s = plan.segments[static_cast<std::size_t>(i)];
            const int lo[3] = {s.x_lo, s.y_lo, s.z_lo}, hi[3] = {s.x_hi, s.y_hi, s.z_hi};
            bool near = false;
            for (int a = 0; a < 3; ++a) {
                near |= connected[2 * a] && lo[a] < window.depth;
                near |= connected[2 * a + 1] && hi[a] > n[a] - window.depth;
            }
            ASSERT_EQ(near, i < plan.touching) << where;
        }
    });
}

TEST(TemporalPlan, FillsWholeRounds) {
    // 9 x 21 columns on 132 processors: one chunk would leave the second round half empty.
    const std::vector<int> best = promising_chunks({512, 512, 512}, {}, window_shapes[0], 132, 4);
    ASSERT_EQ(best.size(), 4u);
    EXPECT_EQ(best[0], 2);
    EXPECT_EQ(promising_chunks({8, 8, 1}, {}, window_shapes[0], 132, 4), std::vector<int>{1});
}

}  // namespace
}  // namespace jacobi::cuda
