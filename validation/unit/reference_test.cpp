// The reference solver against a simpler one, against exact rational arithmetic and against algebra on the smallest grids.
#include "reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "digest.hpp"
#include "plain_jacobi.hpp"

namespace jacobi {
namespace {

template <class T>
class ReferenceTest : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ReferenceTest, Precisions);

constexpr std::array kinds{ProblemKind::laplace, ProblemKind::poisson, ProblemKind::eigenmode, ProblemKind::random};

/// Every kind with every mix of periodic axes on grids that have 1- and 2-wide axes among them.
template <class Visit>
void for_each_problem(Visit visit) {
    const std::array<Index3, 6> grids{{{1, 1, 1}, {2, 1, 1}, {1, 2, 3}, {7, 1, 2}, {19, 6, 5}, {4, 5, 9}}};
    for (ProblemKind kind : kinds) {
        for (const Index3& cells : grids) {
            for (int mix = 0; mix < 8; ++mix) {
                Problem problem;
                problem.kind = kind;
                problem.grid = {cells, {1.0, 2.5, 0.7}, {(mix & 1) != 0, (mix & 2) != 0, (mix & 4) != 0}};
                problem.mode = {1, 2, 1};
                problem.seed = 11;
                if (kind == ProblemKind::laplace || kind == ProblemKind::random) problem.faces = {1, -2, 0.3, 4, -0.1, 0.7};
                SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", periodic mix " + std::to_string(mix) +
                             ", cells " + std::to_string(cells[0]) + " " + std::to_string(cells[1]) + " " +
                             std::to_string(cells[2]));
                visit(problem);
            }
        }
    }
}

TYPED_TEST(ReferenceTest, HasTheBitsOfThePlainSolver) {
    for_each_problem([](const Problem& problem) {
        Reference<TypeParam> reference(problem);
        plain::Field<TypeParam> field(problem);
        EXPECT_EQ(reference.values(), field.u);
        for (Index sweeps : {1, 1, 5, 10}) {
            reference.advance(sweeps);
            field.advance(sweeps);
            EXPECT_EQ(reference.values(), field.u);
        }
        EXPECT_EQ(reference.iteration(), 17);
        std::uint64_t digest = 0;
        for (std::size_t i = 0; i < field.u.size(); ++i) digest += digest_term(static_cast<Index>(i), field.u[i]);
        EXPECT_EQ(reference.digest(), digest);
    });
}

TYPED_TEST(ReferenceTest, IsWithinRoundingOfLongDouble) {
    for_each_problem([](const Problem& problem) {
        Reference<TypeParam> reference(problem);
        plain::Field<TypeParam, long double> exact(problem);
        reference.advance(17);
        exact.advance(17);
        long double largest = 4;  // of u, initial values and faces
        for (long double value : exact.u) largest = std::max(largest, std::abs(value));
        const long double tolerance = 17 * 3 * std::numeric_limits<TypeParam>::epsilon() * largest;
        for (std::size_t i = 0; i < exact.u.size(); ++i)
            ASSERT_NEAR(reference.values()[i], exact.u[i], static_cast<double>(tolerance));
    });
}

TYPED_TEST(ReferenceTest, ReportsTheResidualOfTheStoredField) {
    for_each_problem([](const Problem& problem) {
        Reference<TypeParam> reference(problem);
        plain::Field<TypeParam> field(problem);
        reference.advance(3);
        field.advance(3);
        const auto next = field.next();
        double largest = 0;
        long double squares = 0;
        for (std::size_t i = 0; i < next.size(); ++i) {
            const TypeParam r = field.diag * (next[i] - field.u[i]);
            largest = std::max(largest, std::abs(static_cast<double>(r)));
            squares += static_cast<long double>(r) * r;
        }
        const auto residual = reference.residual();
        EXPECT_EQ(residual.max, largest);
        EXPECT_NEAR(residual.l2, static_cast<double>(std::sqrt(squares / next.size())), 1e-13 * largest);
        EXPECT_EQ(reference.iteration(), 3);
        EXPECT_EQ(reference.values(), field.u);
    });
}

TEST(Reference, AgreesWithExactRationalArithmetic) {
    Problem problem;
    problem.kind = ProblemKind::random;
    problem.grid = {{4, 3, 2}, {1.0, 2.0, 0.7}, {true, false, false}};
    problem.faces = {0, 0, 0.5, 0, 0, -1.25};
    problem.seed = 9;
    Reference<double> reference(problem);
    reference.advance(3);
    EXPECT_EQ(reference.digest(), 0x8602e5968ad5437du);
    EXPECT_EQ(reference.residual().max, 0x1.00af7ab85bb18p+4);
    EXPECT_NEAR(reference.residual().l2, 10.719592889844137, 1e-14);
}

TYPED_TEST(ReferenceTest, AveragesTheFacesOfASingleCell) {
    Problem problem;
    problem.grid.cells = {1, 1, 1};
    problem.faces = {1, 2, 3, 4, 5, 6};
    Reference<TypeParam> reference(problem);
    const auto c = coefficients<TypeParam>(problem.grid);
    for (int sweep = 0; sweep < 3; ++sweep) {
        reference.advance(1);  // nothing depends on the cell itself
        EXPECT_EQ(reference.values()[0],
                  std::fma(c.cz, TypeParam(6), std::fma(c.cz, TypeParam(5), std::fma(c.cy, TypeParam(7), c.cx * TypeParam(3)))));
    }
    EXPECT_EQ(reference.residual().max, 0);
    EXPECT_EQ(reference.residual().l2, 0);
}

TYPED_TEST(ReferenceTest, SwapsTwoPeriodicCells) {
    // Two cells around a periodic x axis are each other's neighbours on both sides; y and z see the cell itself.
    Problem problem;
    problem.kind = ProblemKind::random;
    problem.grid = {{2, 1, 1}, {2, 1, 1}, {true, true, true}};
    Reference<TypeParam> reference(problem);
    const auto u = reference.values();
    const TypeParam c = coefficients<TypeParam>(problem.grid).cx;
    reference.advance(1);
    for (int i : {0, 1}) {
        EXPECT_EQ(reference.values()[i],
                  std::fma(c, u[i], std::fma(c, u[i], std::fma(c, u[i] + u[i], c * (u[1 - i] + u[1 - i])))));
    }
}

TEST(Reference, KeepsDenormalNumbersAheadOfTheFront) {
    // A column with unit spacing: after k sweeps the cell k from the hot face holds 6^-k.
    Problem problem;
    problem.grid = {{1, 1, 60}, {1, 1, 61}, {true, true, false}};
    problem.faces[5] = 1;
    Reference<float> reference(problem);
    reference.advance(55);
    const float front = reference.values()[60 - 55];
    EXPECT_LT(front, std::numeric_limits<float>::min());
    EXPECT_NEAR(front, std::pow(6.0, -55), 5 * std::numeric_limits<float>::denorm_min());
    EXPECT_GT(front, 0.0f);
    EXPECT_EQ(reference.values()[60 - 56], 0.0f);
}

TYPED_TEST(ReferenceTest, LetsInfinityAndNaNWinInTheResidual) {
    Problem problem;
    problem.grid.cells = {5, 4, 3};
    problem.faces[0] = std::numeric_limits<double>::infinity();
    Reference<TypeParam> reference(problem);
    EXPECT_EQ(reference.residual().max, std::numeric_limits<double>::infinity());
    EXPECT_EQ(reference.residual().l2, std::numeric_limits<double>::infinity());
    problem.faces[5] = -std::numeric_limits<double>::infinity();  // the two meet in one cell
    Reference<TypeParam> undefined(problem);
    EXPECT_TRUE(std::isnan(undefined.residual().max));
    EXPECT_TRUE(std::isnan(undefined.residual().l2));
}

}  // namespace
}  // namespace jacobi
