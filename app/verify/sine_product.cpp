// Closed forms of `eigenmode` and `poisson`, compared in every cell.
//
// The initial field or right-hand side is phi, a product of sines, an eigenvector of the sweep u' = B u + b with eigenvalue
// lambda:
//     eigenmode  u_k = lambda^k phi                            poisson  u_k = (1 - lambda^k) f/mu,  f = kappa phi
// where mu = diag (1 - lambda) is the discrete eigenvalue of -laplace.
//
// Bound. Sweep j adds at most C eps (|b| + B|u_j|) in each cell (closed_form_parts.hpp), and later sweeps carry that on by B.
// With psi the positive eigenvector (the fundamental sines; 1 on periodic axes), rho its eigenvalue, and |phi| <= K psi because
// |sin m t| <= m sin t, we have B^i |phi| <= min(max|phi|, K rho^i). So the error relative to max|u_k| is at most
//     eigenmode  C eps sum over 1 <= i <= k of min(1, K rho^i) / |lambda|^i
//     poisson    C eps sum over 0 <= i <  k of min(1, K rho^i)     (lambda > 0)
// For the fundamental mode the first sum is k, the plain "C k eps"; the second never exceeds k. A mode that decays faster than
// the errors do has a larger bound, and it should: nothing keeps the rounding errors in that mode.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "closed_form_parts.hpp"

namespace jacobi::closed_form {
namespace {

/// Epsilons of the largest value by which the initial field may differ from lambda^0 phi (three sines of two ulps, two products,
/// rounding to the working precision), and those by which this file's own evaluation may.
constexpr double initial_epsilons = 8;
constexpr double evaluation_epsilons = 2;
/// The same for b = kappa phi/diag: three sines, kappa, diag, products and quotient, roundings, and b's part of the sweep's own.
constexpr double rhs_epsilons = 18;

/// The mode as the bounds see it.
struct Mode {
    long double loss = 0, gain = 0;  ///< 1 - lambda, 1 + lambda
    long double lambda = 0;
    long double rho = 0;      ///< of the fundamental mode
    long double largest = 1;  ///< max|phi| over the grid
    long double k_ratio = 1;  ///< K max psi/max|phi|
    std::array<std::vector<long double>, 3> sines;
};

Mode describe(const Problem& problem) {
    const Grid& grid = problem.grid;
    const auto shares = axis_shares(grid);
    Mode mode;
    long double rho_loss = 0;
    for (int a = 0; a < 3; ++a) {
        const Index m = problem.mode[a];
        const Part part = axis_part(grid, a, m, shares[a]);
        mode.loss += part.loss;
        mode.gain += part.gain;
        long double largest = 0;
        for (Index i = 0; i < grid.cells[a]; ++i) {
            mode.sines[a].push_back(axis_sine(grid, a, m, i));
            largest = std::max(largest, std::abs(mode.sines[a].back()));
        }
        mode.largest *= largest;
        long double k_psi = 1;
        if (!grid.periodic[a]) {
            rho_loss += axis_part(grid, a, 1, shares[a]).loss;
            // |sin m t| on the grid depends on m modulo n + 1 only, and not on its sign.
            const Index q = grid.cells[a] + 1;
            const Index alias = std::abs(m % q);
            k_psi = static_cast<long double>(std::min(alias, q - alias)) * axis_sine(grid, a, 1, (grid.cells[a] - 1) / 2);
        }
        mode.k_ratio *= k_psi / largest;
    }
    mode.lambda = mode.loss < 1 ? 1 - mode.loss : mode.gain - 1;
    mode.rho = std::max(1 - rho_loss, 0.0L);  // 0 for a single cell, where the difference rounds
    return mode;
}

/// Sum over i = 1..k of min(growth^i, K (rho growth)^i). One step costs less than the sweep that it stands for.
long double carried(Index k, long double growth, const Mode& mode) {
    long double plain = 1, bounded = mode.k_ratio, sum = 0;
    for (Index i = 0; i < k && std::isfinite(sum); ++i) {
        plain *= growth;
        bounded *= mode.rho * growth;
        const long double term = std::min(plain, bounded);
        sum += term;
        if (term < 1e-20L * sum) break;  // growth = 1: all that follow are smaller
    }
    return sum;
}

/// Largest |u - amplitude phi| and |u - phi| over this rank's block.
struct Distances {
    Largest to_closed_form, to_continuum;
};

template <class T>
Distances measure(const Box& block, const ReadPlanes& read, const Mode& mode, long double amplitude) {
    const Index3 n = block.extent();
    const std::vector<double> sines_x(mode.sines[0].begin() + block.lo[0], mode.sines[0].begin() + block.hi[0]);
    Distances distances;
    for_each_plane<T>(block, read, [&](Index z, const T* u) {
        for (Index y = 0; y < n[1]; ++y, u += n[0]) {
            const long double sine_yz = mode.sines[1][block.lo[1] + y] * mode.sines[2][block.lo[2] + z];
            const auto continuum = static_cast<double>(sine_yz);
            const auto closed_form = static_cast<double>(amplitude * sine_yz);
            for (Index x = 0; x < n[0]; ++x) {
                const auto value = static_cast<double>(u[x]);
                distances.to_closed_form.add(value - closed_form * sines_x[x]);
                distances.to_continuum.add(value - continuum * sines_x[x]);
            }
        }
    });
    return distances;
}

/// kappa/diag from the continuum's kappa: b = this times phi.
long double rhs_amplitude(const Problem& problem) {
    long double kappa = 0, diag = 0;
    for (int a = 0; a < 3; ++a) {
        const auto length = static_cast<long double>(problem.grid.length[a]);
        const auto cells = static_cast<long double>(problem.grid.cells[a]);
        const long double half_waves = static_cast<long double>(problem.mode[a]) * (problem.grid.periodic[a] ? 2 : 1);
        const long double wave_number = std::numbers::pi_v<long double> * half_waves / length;
        const long double per_length = (problem.grid.periodic[a] ? cells : cells + 1) / length;
        kappa += wave_number * wave_number;
        diag += 2 * per_length * per_length;
    }
    return kappa / diag;
}

}  // namespace

Comparison compare_with_sine_product(const Arguments& args) {
    const Problem& problem = args.problem;
    const bool poisson = problem.kind == ProblemKind::poisson;
    const Spacing spacing = spacing_of(args.precision);
    const Index k = args.iteration;
    const Mode mode = describe(problem);
    const long double power = std::pow(mode.lambda, static_cast<long double>(k));
    const long double rest = mode.lambda > 0 ? -std::expm1(static_cast<long double>(k) * std::log1p(-mode.loss)) : 1 - power;

    Comparison result;
    result.name = poisson ? "poisson closed form" : "eigenmode closed form";
    result.measure = "max|u|";
    const long double rhs = poisson ? rhs_amplitude(problem) : 0;
    result.exact_zero = mode.largest == 0 || (poisson && rhs == 0);
    const long double amplitude = result.exact_zero ? 0 : poisson ? rhs / mode.loss * rest : power;
    // A field that has decayed below the smallest number is measured in that number; its bound then exceeds everything.
    const long double scale =
        result.exact_zero ? 1 : std::max(std::abs(amplitude) * mode.largest, static_cast<long double>(spacing.denormal));

    const Distances mine = args.precision == Precision::float64 ? measure<double>(args.block, args.read, mode, amplitude)
                                                                : measure<float>(args.block, args.read, mode, amplitude);
    const double error = mine.to_closed_form.of_all_ranks(args.comm);
    const double to_continuum = mine.to_continuum.of_all_ranks(args.comm);
    result.finite = std::isfinite(error);
    result.error = static_cast<double>(error / scale);
    if (result.exact_zero || (poisson && k == 0)) return result;  // zero to the last bit: a bound of 0

    const long double last_power = std::abs(std::pow(mode.lambda, static_cast<long double>(k - 1)));
    long double epsilons;
    if (poisson) {
        const long double largest_rest = mode.lambda > 0 ? rest : mode.loss;
        const long double carried_on = 1 + carried(k - 1, 1, mode);
        epsilons = evaluation_epsilons + (rhs_epsilons * mode.loss + sweep_epsilons * largest_rest) * carried_on / rest;
        result.step = static_cast<double>(last_power * mode.loss / rest);
        result.remark =
            fmt::format(", distance to the continuum solution {:.1e}", static_cast<double>(to_continuum / mode.largest));
    } else {
        const long double growth = 1 / std::abs(mode.lambda);
        const long double initial =
            std::min(1 / std::abs(power), mode.k_ratio * std::pow(mode.rho * growth, static_cast<long double>(k)));
        // lambda itself is good to some epsilons of 1, which matters where it is near 0.
        const long double lambda_error = 8 * std::numeric_limits<long double>::epsilon() * growth * static_cast<long double>(k);
        epsilons = evaluation_epsilons + initial_epsilons * initial + sweep_epsilons * carried(k, growth, mode) +
                   lambda_error / spacing.epsilon;
        result.step = static_cast<double>(last_power * mode.loss * mode.largest / scale);
    }
    const long double denormals = sweep_denormals * static_cast<long double>(k + 1) * spacing.denormal / scale;
    result.bound = static_cast<double>(epsilons * spacing.epsilon + denormals);
    return result;
}

}  // namespace jacobi::closed_form
