// What the closed-form checks share: the spectrum of the Jacobi iteration and the result of a comparison. Internal to app/.
// Everything here comes from the grid alone, by other formulas than the solver's: a coefficient that is wrong there shows.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "problem.hpp"
#include "snapshot.hpp"

namespace jacobi::closed_form {

/// A sweep adds at most this many epsilons of the largest magnitude among u and b to the error. Rounding: two sums and five
/// products or fmas, none of whose partial sums exceeds that magnitude; weighted by their coefficients at most five half
/// epsilons. The coefficients: each w = 1/(h h) is four half epsilons off at most, their sum two more, the quotient one.
inline constexpr double sweep_epsilons = 6;

/// And this many of the smallest denormal number, for every operation that ends there.
inline constexpr double sweep_denormals = 3;

struct Spacing {
    double epsilon;   ///< of the working precision, 2^-52 or 2^-23
    double denormal;  ///< its smallest number
};
Spacing spacing_of(Precision precision);

/// Share of each axis in the update, w/(wx + wy + wz) with w = 1/(h h): twice the update's coefficient.
std::array<long double, 3> axis_shares(const Grid& grid);

/// An axis' part of an eigenvalue of the iteration: lambda = 1 - sum of losses = sum of gains - 1. Either is accurate where the
/// other would cancel.
struct Part {
    long double loss, gain;
};
Part axis_part(const Grid& grid, int axis, Index mode, long double share);

/// The sine of a mode on an axis at a cell, of the same meaning as axis_factors(): sin(pi m (i+1)/(n+1)) or sin(2 pi m i/n).
long double axis_sine(const Grid& grid, int axis, Index mode, Index cell);

/// Result of comparing a field with the closed form. All numbers are relative to `measure`.
struct Comparison {
    std::string name;     ///< "eigenmode closed form"
    std::string measure;  ///< "max|u|"
    double error = 0;
    double bound = 0;
    double step = 0;          ///< by how much the closed forms of this sweep and the one before differ
    bool finite = true;       ///< the field holds neither NaN nor infinity where it was compared
    bool exact_zero = false;  ///< the exact field is zero in every sweep: error is absolute, bound and step are 0
    std::string remark;       ///< appended to the text
};

struct Arguments {
    MPI_Comm comm;
    const Problem& problem;
    Precision precision;
    Index iteration;
    const Box& block;
    const ReadPlanes& read;
    const std::vector<Index3>& samples;
};

Comparison compare_with_sine_product(const Arguments& arguments);  ///< `eigenmode`, `poisson`; collective
Comparison compare_with_sine_series(const Arguments& arguments);   ///< `laplace`; collective

/// Largest of some magnitudes; NaN is larger than any number, since their bits order that way.
class Largest {
 public:
    void add(double magnitude) { bits_ = std::max(bits_, std::bit_cast<std::uint64_t>(std::abs(magnitude))); }
    double of_all_ranks(MPI_Comm comm) const;  ///< collective

 private:
    std::uint64_t bits_ = 0;
};

/// Calls visit(z, values) for every plane of the block, z counted from the block's first, values x fastest.
template <class T, class Visit>
void for_each_plane(const Box& block, const ReadPlanes& read, Visit visit) {
    const Index3 n = block.extent();
    const Index plane = n[0] * n[1];
    const Index slab = std::clamp<Index>((Index{1} << 20) / std::max<Index>(1, plane), 1, std::max<Index>(1, n[2]));
    std::vector<T> values(static_cast<std::size_t>(plane * slab));
    for (Index z0 = 0; z0 < n[2]; z0 += slab) {
        const Index z1 = std::min(z0 + slab, n[2]);
        read(z0, z1, values.data());
        for (Index z = z0; z < z1; ++z) visit(z, values.data() + plane * (z - z0));
    }
}

}  // namespace jacobi::closed_form
