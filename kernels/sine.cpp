// sin(pi p/q) with the same bits on every IEEE machine: libm's differ between versions, and these values are stored.
#include "problem.hpp"
#include "stencil.hpp"

namespace jacobi {
namespace {

// pi as an unevaluated sum of two doubles.
constexpr double pi_high = 0x1.921fb54442d18p+1;
constexpr double pi_low = 0x1.1a62633145c07p-53;

/// An angle high + low, |low| at most an ulp of high: a rounded angle alone would cost up to two units in the last place.
struct Angle {
    double high, low;
};

/// pi p/q for integers 0 <= p <= q/4 below 2^53.
Angle angle(double p, double q) {
    const double ratio = p / q;
    const double rest = fma_once(-ratio, q, p) / q;  // the remainder itself is exact
    const double high = pi_high * ratio;
    const double error = fma_once(pi_high, ratio, -high);
    return {high, fma_once(pi_high, rest, fma_once(pi_low, ratio, error))};
}

// Polynomials on [0, pi/4] with fdlibm's coefficients (Sun Microsystems, 1993), their own error below 2^-57. The low part enters
// to first order.
double sine(Angle a) {
    const double x = a.high;
    const double z = x * x;
    double p = 0x1.5d93a5acfd57cp-33;
    p = fma_once(z, p, -0x1.ae5e68a2b9cebp-26);
    p = fma_once(z, p, 0x1.71de357b1fe7dp-19);
    p = fma_once(z, p, -0x1.a01a019c161d5p-13);
    p = fma_once(z, p, 0x1.111111110f8a6p-7);
    p = fma_once(z, p, -0x1.5555555555549p-3);
    const double low = fma_once(-0.5 * z, a.low, a.low);
    return x + fma_once(z * x, p, low);
}

double cosine(Angle a) {
    const double x = a.high;
    const double z = x * x;
    const double z_error = fma_once(x, x, -z);
    double p = -0x1.8fae9be8838d4p-37;
    p = fma_once(z, p, 0x1.1ee9ebdb4b1c4p-29);
    p = fma_once(z, p, -0x1.27e4f809c52adp-22);
    p = fma_once(z, p, 0x1.a01a019cb159p-16);
    p = fma_once(z, p, -0x1.6c16c16c15177p-10);
    p = fma_once(z, p, 0x1.555555555554cp-5);
    const double half = 0.5 * z;
    const double w = 1.0 - half;
    const double rest = ((1.0 - w) - half) - fma_once(x, a.low, 0.5 * z_error);
    return w + fma_once(z * z, p, rest);
}

}  // namespace

double sin_pi(Index p, Index q) {
    // Integer reduction to the first octant, where both polynomials hold; sin(pi - x) becomes the very same evaluation.
    // Unsigned, since 2q may lie beyond Index.
    using Word = std::uint64_t;
    const auto n = static_cast<Word>(q);
    Word r = (p < 0 ? Word(0) - static_cast<Word>(p) : static_cast<Word>(p)) % (2 * n);
    bool negative = p < 0;
    if (r >= n) {
        r -= n;
        negative = !negative;
    }
    if (r > n - r) r = n - r;
    if (r == 0) return 0.0;
    const double dq = static_cast<double>(q);
    const double value =
        r <= n / 4 ? sine(angle(static_cast<double>(r), dq)) : cosine(angle(static_cast<double>(n - 2 * r), 2 * dq));
    return negative ? -value : value;
}

}  // namespace jacobi
