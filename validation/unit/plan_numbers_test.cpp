// Shapes of passes as numbers that are kept: read back they are the same shape, or fit no block that they are not for.
#include "cuda/plan_numbers.hpp"

#include <gtest/gtest.h>

namespace jacobi::cuda {
namespace {

bool same(const MarchShape& a, const MarchShape& b) {
    for (int i = 0; i < 3; ++i) {
        if (a.n[i] != b.n[i] || a.tiles[i] != b.tiles[i]) return false;
    }
    return a.width == b.width && a.height == b.height && a.chunk == b.chunk && a.strips == b.strips &&
           a.strip_tiles == b.strip_tiles;
}

TEST(PlanNumbers, EveryShapeThatIsMeasuredComesBack) {
    for (const auto& [nx, ny, nz] : {std::array{1, 1, 1}, {64, 64, 64}, {777, 601, 433}, {1024, 1024, 3}, {5, 1200000, 400000}}) {
        const int n[3] = {nx, ny, nz};
        for (const double plane_bytes : {8.0 * nx * ny, 64.0 * (1 << 20)}) {
            for (const MarchShape& shape : promising_shapes(n, 64, 8, plane_bytes)) {
                const auto back = planned_shape(plan_of(shape, 4, 2), n, 64, 8, 4, 2);
                ASSERT_TRUE(back) << nx << " x " << ny << " x " << nz;
                EXPECT_TRUE(same(*back, shape));
            }
        }
    }
}

TEST(PlanNumbers, AShapeOfOneSweepFitsItsKernelAndBlockOnly) {
    const int n[3] = {100, 100, 20};
    const Plan plan = plan_of(march_shape(n, 64, 8, 5, 3), 4, 2);
    ASSERT_TRUE(planned_shape(plan, n, 64, 8, 4, 2));
    EXPECT_FALSE(planned_shape(plan, n, 128, 8, 4, 2));
    EXPECT_FALSE(planned_shape(plan, n, 64, 16, 4, 2));
    EXPECT_FALSE(planned_shape(plan, n, 64, 8, 8, 2));
    EXPECT_FALSE(planned_shape(plan, n, 64, 8, 4, 1)) << "a kernel that differs in what it loads at a time";
    const int thin[3] = {100, 100, 4}, narrow[3] = {100, 16, 20};
    EXPECT_FALSE(planned_shape(plan, thin, 64, 8, 4, 2)) << "more planes a tile than there are";
    EXPECT_FALSE(planned_shape(plan, narrow, 64, 8, 4, 2)) << "more strips than rows of tiles";
    for (const char* name : {"sweeps", "width", "height", "warps", "chunk", "strips"}) {
        Plan other = plan;
        other[name] = 0;
        EXPECT_FALSE(planned_shape(other, n, 64, 8, 4, 2)) << name;
        other[name] = -1;
        EXPECT_FALSE(planned_shape(other, n, 64, 8, 4, 2)) << name;
        other[name] = 2147483647;
        EXPECT_FALSE(planned_shape(other, n, 64, 8, 4, 2)) << name;
        other.erase(name);
        EXPECT_FALSE(planned_shape(other, n, 64, 8, 4, 2)) << name;
    }
    Plan more = plan;
    more["chunks"] = 1;
    EXPECT_FALSE(planned_shape(more, n, 64, 8, 4, 2));
    EXPECT_FALSE(planned_shape({}, n, 64, 8, 4, 2));
}

TEST(PlanNumbers, ChunksFitTheirWindowsAndBlockOnly) {
    const WindowShape window{64, 32, 2, 4, 4};
    const std::array<int, 3> n{200, 200, 90};
    for (const int chunks : promising_chunks(n, {}, window, 132, 20))
        for (const ZChunks& both : {ZChunks(chunks), ZChunks(chunks, chunks + 1)})
            EXPECT_EQ(planned_chunks(plan_of(window, 8, both), window, 8, n[2]), both) << "what is measured comes back";
    const Plan plan = plan_of(window, 8, 7);
    EXPECT_EQ(planned_chunks(plan, window, 8, 7), 7);
    EXPECT_FALSE(planned_chunks(plan, window, 8, 6)) << "more chunks than planes";
    EXPECT_FALSE(planned_chunks(plan_of(window, 8, most_chunks + 1), window, 8, 1000));
    EXPECT_FALSE(planned_chunks(plan, window, 16, 90));
    for (const WindowShape& other : {WindowShape{128, 32, 2, 4, 4}, {64, 64, 2, 4, 4}, {64, 32, 2, 4, 3}})
        EXPECT_FALSE(planned_chunks(plan, other, 8, 90));
    for (const int wrong : {0, -7, 2147483647}) {
        Plan other = plan;
        other["chunks"] = wrong;
        EXPECT_FALSE(planned_chunks(other, window, 8, 90)) << wrong;
    }
    const int block[3] = {200, 200, 90};
    EXPECT_FALSE(planned_chunks(plan_of(march_shape(block, 64, 32, 5, 1), 8, 2), window, 8, 90)) << "of the other kind";
    EXPECT_FALSE(planned_shape(plan, block, 64, 32, 8, 2)) << "of the other kind";
}

}  // namespace
}  // namespace jacobi::cuda
