// How passes of several sweeps cover a block: each cell stored once, from a window that holds all it depends on.
#include "cuda/temporal_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace jacobi::cuda {
namespace {

constexpr WindowShape window_shapes[] = {
    {64, 32, 2, 4, 4}, {64, 64, 2, 4, 3, 8}, {128, 32, 4, 4, 2}, {64, 32, 2, 4, 1}, {32, 16, 4, 8, 5, 4}};

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

/// Those of a segment that hold cells, and of all segments.
template <class Visit>
void for_windows(const Segment& s, Visit&& visit) {
    for (int i = 0; i < s.count(); ++i) {
        const Window& w = s.windows[i];
        if (w.x_lo < w.x_hi && w.y_lo < w.y_hi) visit(w);
    }
}
template <class Visit>
void for_windows(const TemporalPlan& plan, Visit&& visit) {
    for (const Segment& s : plan.segments) {
        for_windows(s, [&](const Window& w) { visit(s, w); });
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(TemporalPlan, StoresEachCellOnce) {
    std::vector<int> stored;
    for_cases([&](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        for (const ZChunks& chunks : {ZChunks(1), ZChunks(2), ZChunks(5), ZChunks(2, 3), ZChunks(3, 1)}) {
            const TemporalPlan plan = plan_temporal(n, connected, window.depth, window, chunks);
            stored.assign(static_cast<std::size_t>(n[0]) * n[1] * n[2], 0);
            for_windows(plan, [&](const Segment& s, const Window& w) {
                ASSERT_TRUE(w.x_lo >= 0 && w.y_lo >= 0 && s.z_lo >= 0 && w.x_hi <= n[0] && w.y_hi <= n[1] && s.z_hi <= n[2])
                    << where;
                for (int z = s.z_lo; z < s.z_hi; ++z) {
                    for (int y = w.y_lo; y < w.y_hi; ++y) {
                        for (int x = w.x_lo; x < w.x_hi; ++x) ++stored[static_cast<std::size_t>((z * n[1] + y) * n[0] + x)];
                    }
                }
            });
            ASSERT_EQ(static_cast<std::size_t>(std::count(stored.begin(), stored.end(), 1)), stored.size()) << where;
        }
    });
}

TEST(TemporalPlan, WindowsHoldWhatTheirCellsDependOn) {
    for_cases([](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        for_windows(plan_temporal(n, connected, window.depth, window, 1), [&](const Segment& s, const Window& w) {
            ASSERT_EQ(w.x % window.unit, 0) << where;
            const int start[2] = {w.x, w.y}, lo[2] = {w.x_lo, w.y_lo}, hi[2] = {w.x_hi, w.y_hi};
            const int size[2] = {window.width / s.across, window.height / s.up};
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
            // The kernel lets the faces of y stand in only below the first and above the last of a block's warps.
            if (s.up > 1) {
                ASSERT_TRUE(connected[2] || w.y_lo >= window.depth) << where;
                ASSERT_TRUE(connected[3] || w.y_hi <= n[1] - window.depth) << where;
            }
        });
    });
}

/// Two windows that store into one sector each would make memory read the rest of it.
TEST(TemporalPlan, EndsWhatWindowsKeepOnSectors) {
    int ends = 0;
    for_cases([&](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        for_windows(plan_temporal(n, connected, window.depth, window, 1), [&](const Segment&, const Window& w) {
            if (w.x_hi == n[0] || window.width < 64) return;  // narrow ones may keep less than a sector
            ++ends;
            ASSERT_EQ(w.x_hi % window.sector, 0) << where;
        });
    });
    EXPECT_GT(ends, 1000);
}

TEST(TemporalPlan, MayCutColumnsAtSideFacesFiner) {
    constexpr WindowShape window{64, 32, 2, 4, 4};
    for (const int face : {0, 1, 2, 3}) {
        std::array<bool, face_count> connected{};
        connected[static_cast<std::size_t>(face)] = true;
        const auto segments = [&](ZChunks chunks) {
            const TemporalPlan plan = plan_temporal({512, 512, 90}, connected, 4, window, chunks);
            EXPECT_EQ(plan.chunks, chunks);
            return std::pair(plan.touching, static_cast<int>(plan.segments.size()) - plan.touching);
        };
        const auto even = segments({3, 3}), finer = segments({3, 4});
        EXPECT_EQ(finer.first, even.first / 3 * 4);
        EXPECT_EQ(finer.second, even.second);
    }
}

TEST(TemporalPlan, PutsWhatTouchesANeighbourFirst) {
    for_cases([](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        const TemporalPlan plan = plan_temporal(n, connected, window.depth, window, {3, 4});
        for (int i = 0; i < static_cast<int>(plan.segments.size()); ++i) {
            const Segment& s = plan.segments[static_cast<std::size_t>(i)];
            bool near = false;
            for_windows(s, [&](const Window& w) {
                const int lo[3] = {w.x_lo, w.y_lo, s.z_lo}, hi[3] = {w.x_hi, w.y_hi, s.z_hi};
                for (int a = 0; a < 3; ++a) {
                    near |= connected[2 * a] && lo[a] < window.depth;
                    near |= connected[2 * a + 1] && hi[a] > n[a] - window.depth;
                }
            });
            ASSERT_EQ(near, i < plan.touching) << where;
        }
    });
}

TEST(TemporalPlan, SegmentsAreDividedAsTheKernelCanDo) {
    for_cases([](const std::array<int, 3>& n, const auto& connected, const WindowShape& window, const std::string& where) {
        for (const Segment& s : plan_temporal(n, connected, window.depth, window, 2).segments) {
            for (const int parts : {s.across, s.up}) ASSERT_TRUE(parts == 1 || parts == 2 || parts == 4) << where;
            ASSERT_LE(s.count(), Segment::most) << where;
            // Whoever finds nothing to do may rely on it.
            for (int i = 0; i < s.count(); ++i) {
                const Window& w = s.windows[i];
                ASSERT_EQ(w.x_lo < w.x_hi, w.y_lo < w.y_hi) << where;
                ASSERT_LE(w.x_lo, w.x_hi) << where;
            }
        }
    });
}

/// What a neighbour's halo adds to windows that fit exactly must not cost whole windows.
TEST(TemporalPlan, SharesSegmentsAmongRemainders) {
    constexpr std::array<int, 3> n = {512, 512, 512};
    const auto count = [&](const WindowShape& window, std::initializer_list<int> faces) {
        std::array<bool, face_count> connected{};
        for (const int f : faces) connected[static_cast<std::size_t>(f)] = true;
        return plan_temporal(n, connected, window.depth, window, 1).segments.size();
    };
    constexpr WindowShape low = {64, 32, 2, 4, 4}, tall = {64, 64, 2, 4, 4}, wide = {128, 32, 4, 4, 4};
    EXPECT_EQ(count(low, {}), 9u * 21);
    EXPECT_EQ(count(tall, {}), 9u * 9);
    EXPECT_EQ(count(wide, {}), 4u * 21 + 6);
    for (const int side : {0, 1}) {
        EXPECT_EQ(count(low, {side}), 9u * 21 + 6);
        EXPECT_EQ(count(low, {2 + side}), 9u * 21 + 5);
        EXPECT_EQ(count(tall, {side}), 9u * 9 + 3);
        EXPECT_EQ(count(tall, {2 + side}), 9u * 9 + 3);
        EXPECT_EQ(count(wide, {side}), 4u * 21 + 11);
        EXPECT_EQ(count(wide, {2 + side}), 4u * 21 + 6 + 2);
    }
    EXPECT_EQ(count(low, {0, 1}), 9u * 21 + 6);
    EXPECT_EQ(count(low, {2, 3}), 9u * 21 + 5);
    EXPECT_EQ(count(low, {0, 2, 4}), 9u * 21 + 6 + 5);
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
