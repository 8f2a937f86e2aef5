// The numerics that every part shares. Golden values come from exact rational and integer arithmetic, not from this code.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include "digest.hpp"
#include "problem.hpp"

namespace jacobi {
namespace {

constexpr long double pi = std::numbers::pi_v<long double>;

long double expected_sin_pi(Index p, Index q) {
    const Index r = ((p % (2 * q)) + 2 * q) % (2 * q);
    const Index half = r % q;
    const long double value = std::sin(pi * static_cast<long double>(std::min(half, q - half)) / static_cast<long double>(q));
    return r < q ? value : -value;
}

double ulps(double value, long double expected) {
    int exponent;
    std::frexp(static_cast<double>(expected), &exponent);
    return static_cast<double>(std::abs(value - expected) / std::ldexp(1.0L, exponent - 53));
}

TEST(SinPi, IsWithinTwoUlpsOfLongDouble) {
    double worst = 0;
    for (Index q = 1; q <= 300; ++q) {
        for (Index p = -2 * q - 1; p <= 4 * q; ++p) {
            const long double expected = expected_sin_pi(p, q);
            if (expected == 0) continue;
            worst = std::max(worst, ulps(sin_pi(p, q), expected));
        }
    }
    std::mt19937_64 random(7);
    for (int i = 0; i < 100000; ++i) {
        const Index q = static_cast<Index>(random() >> (12 + random() % 50)) + 1;
        const Index p = static_cast<Index>(random() % static_cast<std::uint64_t>(2 * q));
        const long double expected = expected_sin_pi(p, q);
        if (expected != 0) worst = std::max(worst, ulps(sin_pi(p, q), expected));
    }
    EXPECT_LT(worst, 2.0);
}

TEST(SinPi, IsExactAtMultiplesOfHalfPi) {
    for (Index q : {Index{1}, Index{2}, Index{3}, Index{1000}, Index{1} << 40}) {
        for (Index turns = -3; turns <= 3; ++turns) {
            EXPECT_EQ(sin_pi(2 * turns * q, q), 0.0);
            EXPECT_EQ(sin_pi((2 * turns + 1) * q, q), 0.0);
            EXPECT_EQ(sin_pi(4 * turns * q + q, 2 * q), 1.0);
            EXPECT_EQ(sin_pi(4 * turns * q - q, 2 * q), -1.0);
        }
    }
    EXPECT_FALSE(std::signbit(sin_pi(0, 5)));
}

TEST(SinPi, HasTheSymmetriesOfTheSineToTheLastBit) {
    for (Index q = 1; q <= 200; ++q) {
        for (Index p = 1; p < q; ++p) {
            EXPECT_EQ(sin_pi(p, q), sin_pi(q - p, q));
            EXPECT_EQ(sin_pi(-p, q), -sin_pi(p, q));
            EXPECT_EQ(sin_pi(p + q, q), -sin_pi(p, q));
            EXPECT_EQ(sin_pi(p + 2000 * q, q), sin_pi(p, q));
        }
    }
}

TEST(SinPi, TakesTheWholeRangeOfIndices) {
    const Index largest = std::numeric_limits<Index>::max();
    EXPECT_EQ(sin_pi(largest, 7), sin_pi(largest % 14, 7));
    EXPECT_EQ(sin_pi(std::numeric_limits<Index>::min(), 7), sin_pi(std::numeric_limits<Index>::min() % 14, 7));
    EXPECT_EQ(sin_pi(largest, largest), 0.0);
    EXPECT_NEAR(sin_pi(largest / 2, largest), 1.0, 1e-15);
}

Problem sine_problem(ProblemKind kind) {
    Problem problem;
    problem.kind = kind;
    problem.grid = {{5, 6, 7}, {1.1, 0.7, 3.3}, {false, true, false}};
    problem.mode = {1, 2, 3};
    return problem;
}

TEST(AxisFactors, AreTheSinesOfTheMode) {
    const Problem problem = sine_problem(ProblemKind::eigenmode);
    for (int axis = 0; axis < 3; ++axis) {
        const auto factors = axis_factors(problem, axis);
        ASSERT_EQ(factors.size(), static_cast<std::size_t>(problem.grid.cells[axis]));
        for (std::size_t i = 0; i < factors.size(); ++i) {
            const long double phase = problem.grid.periodic[axis]
                                          ? 2 * problem.mode[axis] * static_cast<long double>(i) / problem.grid.cells[axis]
                                          : problem.mode[axis] * (i + 1.0L) / (problem.grid.cells[axis] + 1);
            EXPECT_NEAR(factors[i], static_cast<double>(std::sin(pi * phase)), 1e-15);
        }
    }
}

TEST(AxisFactors, SurviveModesWhoseProductsLeave64Bits) {
    Problem problem = sine_problem(ProblemKind::poisson);
    problem.mode = {(Index{1} << 62) + 5, -(Index{1} << 62) - 1, std::numeric_limits<Index>::max()};
    Problem reduced = problem;
    for (int axis = 0; axis < 3; ++axis)
        reduced.mode[axis] %= 2 * (problem.grid.cells[axis] + (problem.grid.periodic[axis] ? 0 : 1));
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(axis_factors(problem, axis), axis_factors(reduced, axis));
}

TEST(AxisFactors, AreOneWithoutAProductAndForTheConstantMode) {
    for (ProblemKind kind : {ProblemKind::laplace, ProblemKind::random}) {
        EXPECT_EQ(axis_factors(sine_problem(kind), 0), std::vector<double>(5, 1.0));
    }
    Problem problem = sine_problem(ProblemKind::eigenmode);
    problem.mode = {0, 0, 0};
    EXPECT_EQ(axis_factors(problem, 1), std::vector<double>(6, 1.0));
    EXPECT_EQ(axis_factors(problem, 0), std::vector<double>(5, 0.0));
}

TEST(Coefficients, HaveTheContractsBits) {
    const Grid grid{{5, 6, 7}, {1.1, 0.7, 3.3}, {false, true, false}};
    const auto c = coefficients<double>(grid);
    EXPECT_EQ(c.cx, 0x1.1740e7e6f3caep-3);
    EXPECT_EQ(c.cy, 0x1.58caea155194cp-2);
    EXPECT_EQ(c.cz, 0x1.b94a1f73485d3p-6);
    EXPECT_EQ(c.diag, 0x1.b464c455568fcp+7);
    EXPECT_EQ(c.diag_full, c.diag);
    const auto single = coefficients<float>(grid);
    EXPECT_EQ(single.cx, static_cast<float>(c.cx));
    EXPECT_EQ(single.cy, static_cast<float>(c.cy));
    EXPECT_EQ(single.cz, static_cast<float>(c.cz));
    EXPECT_EQ(single.diag, static_cast<float>(c.diag));
    EXPECT_EQ(single.diag_full, c.diag);
    // A grid whose sum of weights has other bits in any other order.
    EXPECT_EQ(coefficients<double>({{5, 9, 11}, {1.3, 0.9, 2.1}, {false, false, false}}).diag, 0x1.62d2c0b543e7dp+8);
    EXPECT_EQ(poisson_kappa(sine_problem(ProblemKind::poisson)), 0x1.529610b5c354bp+8);
}

TEST(CellHash, IsTheNamedMixer) {
    EXPECT_EQ(mix64(1), 0x5692161d100b05e5u);
    EXPECT_EQ(cell_hash(1, 0), 0xdce423fc82c0d5b8u);
    EXPECT_EQ(cell_hash(42, 123456789012), 0x0380e03d6409a408u);
}

template <class T>
void expect_unit_range() {
    EXPECT_EQ(unit_value<T>(0), T(-1));
    EXPECT_LT(unit_value<T>(~std::uint64_t{0}), T(1));
    EXPECT_EQ(unit_value<T>(~std::uint64_t{0}), T(1) - std::numeric_limits<T>::epsilon());
    EXPECT_EQ(unit_value<T>(std::uint64_t{1} << 63), T(0));
    double sum = 0;
    constexpr int count = 200000;
    for (int cell = 0; cell < count; ++cell) {
        const T value = unit_value<T>(cell_hash(1, cell));
        ASSERT_GE(value, T(-1));
        ASSERT_LT(value, T(1));
        sum += value;
    }
    EXPECT_LT(std::abs(sum / count), 5 / std::sqrt(3.0 * count));  // five standard deviations
}
TEST(CellHash, GivesUnitValuesInDouble) { expect_unit_range<double>(); }
TEST(CellHash, GivesUnitValuesInFloat) { expect_unit_range<float>(); }

TEST(RightHandSide, IsRoundedToTheWorkingPrecisionBeforeTheDivision) {
    const Problem problem = sine_problem(ProblemKind::poisson);
    const auto fx = axis_factors(problem, 0), fy = axis_factors(problem, 1), fz = axis_factors(problem, 2);
    const double diag = coefficients<float>(problem.grid).diag_full;
    const ProblemView view{problem.kind, 5, 6, 7, fx.data(), fy.data(), fz.data(), poisson_kappa(problem), diag, problem.seed};
    const double f = poisson_kappa(problem) * ((fx[1] * fy[2]) * fz[3]);
    EXPECT_EQ(rhs_value<double>(view, 1, 2, 3), f / diag);
    EXPECT_EQ(rhs_value<float>(view, 1, 2, 3), static_cast<float>(static_cast<double>(static_cast<float>(f)) / diag));
    EXPECT_EQ(initial_value<double>(view, 1, 2, 3), 0.0);
}

TEST(Digest, IsTheSumOfTheNamedTerms) {
    EXPECT_EQ(digest_term(0, 1.0), 0x822de42c3d761c35u);
    EXPECT_EQ(digest_term(7, -2.5f), 0x21cfa882731ace09u);
}

TEST(Digest, SeesTheSignOfZeroAndOneKindOfNaN) {
    EXPECT_NE(digest_term(3, 0.0), digest_term(3, -0.0));
    EXPECT_NE(digest_term(3, 1.0), digest_term(4, 1.0));
    EXPECT_NE(digest_term(3, 1.0), digest_term(3, 1.0f));
    const double quiet = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(digest_term(3, quiet), digest_term(3, -quiet));
    EXPECT_EQ(digest_term(3, quiet), digest_term(3, std::bit_cast<double>(0x7ff8123456789abcu)));
    EXPECT_EQ(digest_bits(std::bit_cast<float>(0xffc12345u)), 0x7fc00000u);
}

}  // namespace
}  // namespace jacobi
