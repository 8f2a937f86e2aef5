// The reproducible sum of squares: any order, any split over ranks, any finite maximum.
#include "fixed_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "problem.hpp"

namespace jacobi {
namespace {

FixedSum sum_of(const std::vector<double>& values, const FixedScale& scale) {
    FixedSum sum;
    for (double r : values) add_square(sum, r, scale.first, scale.second);
    return sum;
}

TEST(FixedSum, DependsNeitherOnTheOrderNorOnTheSplit) {
    std::mt19937_64 random(3);
    std::vector<double> values(10000);
    long double exact = 0;
    double maximum = 0;
    for (double& r : values) {
        r = std::ldexp(unit_value<double>(random()), static_cast<int>(random() % 60) - 30);
        exact += static_cast<long double>(r) * r;
        maximum = std::max(maximum, std::abs(r));
    }
    const FixedScale scale = FixedScale::of(maximum);
    const double l2 = root_mean_square(sum_of(values, scale), scale, 10000);
    EXPECT_NEAR(l2, static_cast<double>(std::sqrt(exact / 10000)), 1e-12 * l2);

    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(root_mean_square(sum_of(values, scale), scale, 10000), l2);
    for (std::size_t ranks : {2, 3, 7, 10000}) {
        FixedSum total, total_carried;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const auto part = sum_of({values.begin() + static_cast<Index>(rank * values.size() / ranks),
                                      values.begin() + static_cast<Index>((rank + 1) * values.size() / ranks)},
                                     scale);
            total.add(part);
            total_carried.add(part.carried());
        }
        EXPECT_EQ(root_mean_square(total, scale, 10000), l2);
        EXPECT_EQ(root_mean_square(total_carried, scale, 10000), l2);
    }
}

TEST(FixedSum, CarriesTheLowLimbWithoutChangingTheSum) {
    const FixedSum sum{5, (std::uint64_t{3} << 30) + 7};
    EXPECT_EQ(sum.carried().hi, 8u);
    EXPECT_EQ(sum.carried().lo, 7u);
    // 2^38 terms of the largest magnitude: the low limbs of all ranks together must not be needed.
    const FixedScale scale = FixedScale::of(1.0);
    FixedSum one;
    add_square(one, 1.0, scale.first, scale.second);
    EXPECT_EQ(one.hi, std::uint64_t{1} << 24);  // (1/2)^2 in units of 2^-26
    EXPECT_EQ(one.lo, 0u);
}

TEST(FixedSum, ScalesEveryFiniteMaximum) {
    const double smallest = std::numeric_limits<double>::denorm_min();
    const double largest = std::numeric_limits<double>::max();
    for (double maximum :
         {smallest, 3 * smallest, std::numeric_limits<double>::min(), 1e-200, 0.3, 1.0, 1e200, largest / 2, largest}) {
        const FixedScale scale = FixedScale::of(maximum);
        const double scaled = (maximum * scale.first) * scale.second;
        EXPECT_GE(scaled, 0.5) << maximum;
        EXPECT_LT(scaled, 1.0) << maximum;
        // All terms equal: their root mean square is the term itself, but for the truncation below 2^-56.
        FixedSum sum;
        for (int i = 0; i < 8; ++i) add_square(sum, i % 2 == 0 ? maximum : -maximum, scale.first, scale.second);
        const double l2 = root_mean_square(sum, scale, 8);
        EXPECT_LE(std::abs(l2 / 2 - maximum / 2), maximum * 1e-15) << maximum;
        // One among zeros and values far below it.
        FixedSum single;
        add_square(single, maximum, scale.first, scale.second);
        add_square(single, 0.0, scale.first, scale.second);
        add_square(single, maximum * 1e-30, scale.first, scale.second);
        add_square(single, 0.0, scale.first, scale.second);
        EXPECT_LE(std::abs(root_mean_square(single, scale, 4) - maximum / 2), maximum * 1e-15 + smallest) << maximum;
    }
}

}  // namespace
}  // namespace jacobi
