// Problem definitions: grid, boundary values, initial field and right-hand side. Used by the solver's back ends and by the
// reference solver alike; everything here is deterministic to the last bit on every machine (no libm result is stored).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry.hpp"

namespace jacobi {

enum class Precision { float64, float32 };
enum class ProblemKind { laplace, poisson, eigenmode, random };

constexpr std::size_t bytes_of(Precision precision) { return precision == Precision::float64 ? 8 : 4; }

/// The box that is solved on. `cells` are its unknowns: between Dirichlet faces the spacing is L/(n+1) and the faces lie
/// one spacing outside the first and last unknown; on a periodic axis it is L/n.
struct Grid {
    Index3 cells{0, 0, 0};
    std::array<double, 3> length{1, 1, 1};
    std::array<bool, 3> periodic{false, false, false};

    double spacing(int axis) const {
        const double n = static_cast<double>(cells[axis]);
        return length[axis] / (periodic[axis] ? n : n + 1.0);
    }
    /// Global index of a cell, x + nx(y + ny z): the name under which `random` and the digest know it.
    Index linear(Index x, Index y, Index z) const { return x + cells[0] * (y + cells[1] * z); }
};

struct Problem {
    Grid grid;
    ProblemKind kind = ProblemKind::laplace;
    std::array<double, face_count> faces{};  ///< Dirichlet value per face (x-, x+, y-, ...); ignored on periodic axes
    Index3 mode{1, 1, 1};                    ///< sine mode per axis, `eigenmode` and `poisson`
    std::uint64_t seed = 1;                  ///< `random`

    bool has_rhs() const { return kind == ProblemKind::poisson; }
};

/// Coefficients of one Jacobi update of -laplace(u) = f, computed in double and each rounded once to T (stencil.hpp has
/// the update itself). w = 1/(h h), diag = 2((wx + wy) + wz), c = w/diag.
template <class T>
struct Coefficients {
    T cx, cy, cz;
    T diag;            ///< residual of u_k = diag (u_{k+1} - u_k)
    double diag_full;  ///< diag before rounding: right-hand sides are divided by this, in double
};
template <class T>
Coefficients<T> coefficients(const Grid& grid);

/// sin(pi p / q) for any integers, q > 0, by exact integer range reduction and polynomials with fma written out: the same
/// bits on every IEEE machine; error below 2 units in the last place for q < 2^52. Exact at multiples of pi/2; odd, and
/// symmetric about pi/2, to the last bit.
double sin_pi(Index p, Index q);

/// The factor of the problem's sine product on one axis at each cell 0 <= i < n: sin(pi m (i+1)/(n+1)) between Dirichlet
/// faces, sin(2 pi m i/n) on a periodic axis, where m = 0 means 1 (between Dirichlet faces m = 0 is the zero field). All
/// ones for `laplace` and `random`.
std::vector<double> axis_factors(const Problem& problem, int axis);

/// kappa of f = kappa * product, from the continuum: the sum over axes of (pi m/L)^2, or (2 pi m/L)^2 where periodic.
double poisson_kappa(const Problem& problem);

/// Finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection on 64-bit words, the named mixer of hash and digest.
JACOBI_HD constexpr std::uint64_t mix64(std::uint64_t h) {
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

/// Counter-based hash of (seed, global index).
JACOBI_HD constexpr std::uint64_t cell_hash(std::uint64_t seed, Index cell) {
    return mix64(mix64(seed + 0x9e3779b97f4a7c15u) ^ static_cast<std::uint64_t>(cell));
}

/// [-1, 1) from a hash, exactly representable in the working precision.
template <class T>
JACOBI_HD constexpr T unit_value(std::uint64_t hash);
template <>
JACOBI_HD constexpr double unit_value<double>(std::uint64_t hash) {
    return static_cast<double>(hash >> 11) * 0x1p-52 - 1.0;
}
template <>
JACOBI_HD constexpr float unit_value<float>(std::uint64_t hash) {
    return static_cast<float>(hash >> 40) * 0x1p-23f - 1.0f;
}

/// Everything that one cell's initial value and right-hand side depend on, as plain data for kernels. The factor
/// pointers address tables from axis_factors, in the memory space of whoever evaluates.
struct ProblemView {
    ProblemKind kind;
    Index nx, ny, nz;
    const double *fx, *fy, *fz;
    double kappa;      ///< 0 without a right-hand side
    double diag_full;  ///< Coefficients::diag_full
    std::uint64_t seed;
};

/// Initial value u_0 of global cell (x, y, z): product in double as (fx fy) fz, rounded once to T.
template <class T>
JACOBI_HD inline T initial_value(const ProblemView& p, Index x, Index y, Index z) {
    switch (p.kind) {
        case ProblemKind::eigenmode: return static_cast<T>((p.fx[x] * p.fy[y]) * p.fz[z]);
        case ProblemKind::random: return unit_value<T>(cell_hash(p.seed, x + p.nx * (y + p.ny * z)));
        default: return T(0);
    }
}

/// b = f/diag of global cell (x, y, z): f = kappa ((fx fy) fz) rounded to T first, then divided in double, rounded to T.
template <class T>
JACOBI_HD inline T rhs_value(const ProblemView& p, Index x, Index y, Index z) {
    const T f = static_cast<T>(p.kappa * ((p.fx[x] * p.fy[y]) * p.fz[z]));
    return static_cast<T>(static_cast<double>(f) / p.diag_full);
}

}  // namespace jacobi
