// A sum of squares whose result does not depend on the order of summation: fixed point with a scale from the maximum.
#pragma once

#include <cstdint>

#include "geometry.hpp"

namespace jacobi {

/// Sum of (r 2^-exponent)^2 as an integer of units 2^-56, in two limbs: hi in units 2^-26, lo in units 2^-56 (30 bits a term).
/// Limbs add by plain integer addition, in any order. lo takes 2^34 terms before it must be carried into hi, which takes 2^38.
struct FixedSum {
    std::uint64_t hi = 0;
    std::uint64_t lo = 0;

    JACOBI_HD void add(const FixedSum& other) {
        hi += other.hi;
        lo += other.lo;
    }
    /// The same sum with lo below one unit of hi. Each rank's sum is carried before ranks are added.
    JACOBI_HD FixedSum carried() const { return {hi + (lo >> 30), lo & 0x3fffffffu}; }
};

/// The scale of one reduction, exact powers of two: r 2^-exponent = (r * first) * second, |.| < 1 for every r <= maximum.
struct FixedScale {
    int exponent = 0;
    double first = 1;
    double second = 1;

    /// `maximum`: the global maximum of |r|, finite and > 0. (A maximum of 0, infinity or NaN needs no sum: it is its own mean.)
    static FixedScale of(double maximum);
};

/// Adds r^2. The square is rounded to double once; cutting it into limbs is exact but for what lies below 2^-56 (truncated).
JACOBI_HD inline void add_square(FixedSum& sum, double r, double first, double second) {
    const double q = (r * first) * second;
    const double v = (q * q) * 0x1p26;
    const auto hi = static_cast<std::uint64_t>(v);
    sum.hi += hi;
    sum.lo += static_cast<std::uint64_t>((v - static_cast<double>(hi)) * 0x1p30);
}

/// sqrt(sum / terms) scaled back: the root mean square of r. Depends on the sum's value only, not on its split into limbs.
double root_mean_square(const FixedSum& sum, const FixedScale& scale, Index terms);

}  // namespace jacobi
