// Closed forms against the reference solver: correct fields pass, and what cannot be told is skipped.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "closed_form_testing.hpp"
#include "reference.hpp"

namespace jacobi {
namespace {

using namespace closed_form_testing;

constexpr std::array<Index3, 5> grids{{{13, 8, 9}, {1, 1, 1}, {2, 1, 6}, {1, 16, 3}, {21, 10, 17}}};

template <class T>
class ClosedFormTest : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ClosedFormTest, Precisions);

TYPED_TEST(ClosedFormTest, NeverFailsACorrectField) {
    int passed = 0;
    for (ProblemKind kind : closed_kinds) {
        for (const Index3& cells : grids) {
            for (int mix = 0; mix < 8; ++mix) {
                for (const Index3& mode : {Index3{1, 1, 1}, Index3{3, 2, 1}, Index3{0, 1, 5}, cells}) {
                    if (kind == ProblemKind::laplace && mode != cells) continue;
                    const Problem problem = make(kind, cells, mix, mode);
                    Reference<TypeParam> reference(problem);
                    for (Index k : {0, 1, 2, 3, 17, 18, 150, 1001}) {
                        reference.advance(k - reference.iteration());
                        const auto result = check(problem, reference.values(), k);
                        ASSERT_NE(result.verdict, Verdict::fail)
                            << result.text << ", sweep " << k << ", mix " << mix << ", cells " << cells[0] << " " << cells[1]
                            << " " << cells[2] << ", mode " << mode[0] << " " << mode[1] << " " << mode[2];
                        passed += result.verdict == Verdict::pass ? 1 : 0;
                    }
                }
            }
        }
    }
    EXPECT_GT(passed, 900);  // the others are zero, converged or decayed: numerous, since the grids are tiny
}

TYPED_TEST(ClosedFormTest, PassesEverySweepOfAnOrdinaryRun) {
    for (ProblemKind kind : closed_kinds) {
        for (int mix = 0; mix < 7; ++mix) {  // not all axes periodic: laplace is zero there
            const Problem problem = make(kind, {21, 14, 17}, mix);
            Reference<TypeParam> reference(problem);
            for (Index k = 0; k <= 40; ++k) {
                const auto result = check(problem, reference.values(), k);
                ASSERT_EQ(result.verdict, Verdict::pass) << result.text << ", sweep " << k << ", mix " << mix;
                ASSERT_LE(result.error, result.bound);
                reference.advance(1);
            }
        }
    }
}

/// Skipped, with these words in the text; and failed once a value is not finite.
template <class T>
void expect_skipped(const Problem& problem, Index iteration, const std::string& words) {
    Reference<T> reference(problem);
    reference.advance(iteration);
    const auto result = check(problem, reference.values(), iteration);
    EXPECT_EQ(result.verdict, Verdict::skipped) << result.text;
    EXPECT_NE(result.text.find(words), std::string::npos) << result.text;
    if (problem.kind == ProblemKind::random) return;
    for (T value : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        auto spoilt = reference.values();
        spoilt.back() = value;
        EXPECT_EQ(check(problem, spoilt, iteration).verdict, Verdict::fail);
    }
}

TYPED_TEST(ClosedFormTest, SkipsWhatItCannotTell) {
    using T = TypeParam;
    expect_skipped<T>(make(ProblemKind::laplace, {5, 4, 6}), 3000, "cannot tell sweep 3000 from 2999");
    expect_skipped<T>(make(ProblemKind::poisson, {5, 4, 6}), 3000, "cannot tell sweep 3000 from 2999");
    expect_skipped<T>(make(ProblemKind::eigenmode, {5, 4, 6}, 7, {0, 0, 0}), 10,
                      "cannot tell sweep 10 from 9");                                                    // constant: lambda = 1
    expect_skipped<T>(make(ProblemKind::eigenmode, {5, 4, 6}, 0, {3, 2, 3}), 20000, "cannot tell");      // decayed to nothing
    expect_skipped<T>(make(ProblemKind::eigenmode, {1, 1, 1}), 1, "smaller than rounding");              // lambda = 0
    expect_skipped<T>(make(ProblemKind::eigenmode, {5, 4, 6}, 0, {6, 1, 1}), 4, "exact field is zero");  // sin(pi (i + 1))
    expect_skipped<T>(make(ProblemKind::poisson, {5, 4, 6}, 7, {0, 0, 0}), 4, "exact field is zero");    // kappa = 0
    expect_skipped<T>(make(ProblemKind::laplace, {5, 4, 6}, 7), 4, "exact field is zero");               // no faces
    expect_skipped<T>(make(ProblemKind::random, {5, 4, 6}), 4, "no closed form");
}

TYPED_TEST(ClosedFormTest, FailsAnythingButZeroWhereTheFieldIsZero) {
    const Problem problem = make(ProblemKind::laplace, {5, 4, 6}, 7);
    std::vector<TypeParam> values(5 * 4 * 6, TypeParam(0));
    values[31] = std::numeric_limits<TypeParam>::denorm_min();
    EXPECT_EQ(check(problem, values, 4).verdict, Verdict::fail);
}

TEST(ClosedForm, SaysWhatWasFound) {
    const Problem problem = make(ProblemKind::poisson, {9, 9, 9});
    Reference<double> reference(problem);
    reference.advance(10);
    const auto result = check(problem, reference.values(), 10);
    EXPECT_EQ(result.text.rfind("poisson closed form, max error ", 0), 0u) << result.text;
    EXPECT_NE(result.text.find(" of max|u|, bound "), std::string::npos) << result.text;
    EXPECT_NE(result.text.find("continuum solution"), std::string::npos) << result.text;
}

TEST(ClosedForm, ReportsTheDistanceToTheContinuum) {
    // Second order: on twice as fine a grid the converged solution is four times nearer.
    std::array<double, 2> distances;
    for (int fine : {0, 1}) {
        Problem problem = make(ProblemKind::poisson, fine ? Index3{15, 15, 15} : Index3{7, 7, 7});
        problem.grid.length = {1, 1, 1};
        Reference<double> reference(problem);
        reference.advance(2000);
        const std::string text = check(problem, reference.values(), 2000).text;
        const std::string words = "distance to the continuum solution ";
        distances[fine] = std::stod(text.substr(text.find(words) + words.size()));
    }
    EXPECT_NEAR(distances[0] / distances[1], 4.0, 0.2);
}

TEST(Samples, AreSixteenCellsWithCornersOfBlocksAmongThem) {
    const Grid grid{{20, 30, 40}, {1, 1, 1}, {false, false, false}};
    std::vector<Box> blocks;
    for (int i = 0; i < 8; ++i) {
        const Index3 lo{i & 1 ? 10 : 0, i & 2 ? 15 : 0, i & 4 ? 20 : 0};
        blocks.push_back({lo, {lo[0] + 10, lo[1] + 15, lo[2] + 20}});
    }
    const auto samples = closed_form_samples(grid, blocks);
    ASSERT_EQ(samples.size(), 16u);
    for (const Box& block : blocks) {
        bool has_corner = false;
        for (const Index3& cell : samples) {
            bool corner = true;
            for (int a = 0; a < 3; ++a) corner = corner && (cell[a] == block.lo[a] || cell[a] == block.hi[a] - 1);
            has_corner = has_corner || corner;
        }
        EXPECT_TRUE(has_corner);
    }
    for (int face = 0; face < face_count; ++face) {
        bool beside = false;
        for (const Index3& cell : samples) beside = beside || cell[face / 2] == (face % 2 == 0 ? 0 : grid.cells[face / 2] - 1);
        EXPECT_TRUE(beside) << face_names[face];
    }
}

TEST(Samples, LieInsideTheSmallestGrids) {
    for (const Index3& cells : grids) {
        const Grid grid{cells, {1, 1, 1}, {false, true, false}};
        for (const auto& blocks : {std::vector<Box>{}, std::vector<Box>{{{0, 0, 0}, cells}}, slabs(grid, 3)}) {
            const auto samples = closed_form_samples(grid, blocks);
            EXPECT_EQ(samples.size(), 16u);
            for (const Index3& cell : samples) {
                for (int a = 0; a < 3; ++a) {
                    EXPECT_GE(cell[a], 0);
                    EXPECT_LT(cell[a], cells[a]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace jacobi
