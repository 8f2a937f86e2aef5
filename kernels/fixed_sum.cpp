#include "fixed_sum.hpp"

#include <cmath>

namespace jacobi {

FixedScale FixedScale::of(double maximum) {
    FixedScale scale;
    std::frexp(maximum, &scale.exponent);  // maximum = m 2^exponent, 1/2 <= m < 1
    // 2^-exponent itself overflows for a denormal maximum and is denormal for one near DBL_MAX; its two halves are neither.
    const int half = -scale.exponent / 2;
    scale.first = std::ldexp(1.0, half);
    scale.second = std::ldexp(1.0, -scale.exponent - half);
    return scale;
}

double root_mean_square(const FixedSum& sum, const FixedScale& scale, Index terms) {
    // One conversion of the exact integer, then correctly rounded operations only.
    const auto units = (static_cast<unsigned __int128>(sum.hi) << 30) + sum.lo;
    const double mean = static_cast<double>(units) * 0x1p-56 / static_cast<double>(terms);
    return std::ldexp(std::sqrt(mean), scale.exponent);
}

}  // namespace jacobi
