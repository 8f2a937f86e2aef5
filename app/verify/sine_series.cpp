// Closed form of `laplace`, at sample cells.
//
// u_0 = 0 and u_{k+1} = B u_k + g, where g holds the coefficient times the face value next to each face. In the eigenvectors
// phi_m of B, products of sines on the axes with Dirichlet faces,
//     u_k = sum over m of (1 - lambda_m^k)/(1 - lambda_m) g_m phi_m,   g_m = <g, phi_m>/<phi_m, phi_m>.
// A face's value is constant, so g_m is a product again: on the face's own axis c (v- +- v+) sin t 2/(n+1), plus for odd and
// minus for even modes, t = pi m/(n+1); on each other axis 2/(n+1) times the sum of the sines, cot(t/2) for odd m and 0 for even.
// On a periodic axis nothing depends on the position: one mode, the constant.
//
// Bound relative to max|face|, which bounds every |u_k|: sweep j adds at most C eps of it (closed_form_parts.hpp), later sweeps
// do not enlarge that, so C k eps; plus one eps for rounding the faces, and series_epsilons for evaluating the series.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "closed_form_parts.hpp"

namespace jacobi::closed_form {
namespace {

/// Epsilons of double that the evaluated series may be off: the terms' magnitudes add up to a few max|face| (they fall as 1/m on
/// each axis, which sums to logarithms), and each is good to a few epsilons.
constexpr double series_epsilons = 32;

/// One axis' factors of every mode that can occur, modes in the order 1, 3, 5, ..., 2, 4, ...
struct AxisModes {
    std::vector<double> loss, gain;            ///< parts of the eigenvalue
    std::vector<double> face;                  ///< factor of g_m where this is the axis of the face
    std::vector<double> tangent;               ///< ... and where another one is: 0 for even modes
    std::size_t odd = 0;                       ///< how many odd modes lead
    std::vector<std::vector<double>> samples;  ///< phi_m at each sample's cell

    std::size_t count() const { return loss.size(); }
};

AxisModes axis_modes(const Problem& problem, int axis, long double share, const std::vector<Index3>& samples) {
    const Grid& grid = problem.grid;
    const Index n = grid.cells[axis];
    AxisModes modes;
    modes.samples.resize(samples.size());
    const auto push = [&modes](const Part& part, long double face, long double tangent) {
        modes.loss.push_back(static_cast<double>(part.loss));
        modes.gain.push_back(static_cast<double>(part.gain));
        modes.face.push_back(static_cast<double>(face));
        modes.tangent.push_back(static_cast<double>(tangent));
    };
    if (grid.periodic[axis]) {
        push(axis_part(grid, axis, 0, share), 0, 1);
        modes.odd = 1;
        for (auto& values : modes.samples) values.push_back(1);
        return modes;
    }
    const auto minus = static_cast<long double>(problem.faces[2 * axis]);
    const auto plus = static_cast<long double>(problem.faces[2 * axis + 1]);
    const auto norm = 2 / static_cast<long double>(n + 1);
    for (Index first : {1, 2}) {
        if (first == 2 && minus == plus) break;
        for (Index m = first; m <= n; m += 2) {
            const long double angle =
                std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(n + 1);
            const long double values = first == 1 ? minus + plus : minus - plus;
            push(axis_part(grid, axis, m, share), share / 2 * values * std::sin(angle) * norm,
                 first == 1 ? norm / std::tan(angle / 2) : 0);
            for (std::size_t s = 0; s < samples.size(); ++s) {
                modes.samples[s].push_back(static_cast<double>(axis_sine(grid, axis, m, samples[s][axis])));
            }
        }
        if (first == 1) modes.odd = modes.count();
    }
    return modes;
}

/// Sum with the rounding errors added up beside it (Neumaier).
struct CompensatedSum {
    double sum = 0, errors = 0;
    void add(double term) {
        const double next = sum + term;
        errors += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
    }
    double value() const { return sum + errors; }
};

/// What a row of modes (all mx of one my, mz) adds, before the factors of y and z.
struct Row {
    double loss, gain;     ///< of y and z together
    double face, tangent;  ///< factors of x's tangent and face factors in g_m
    std::size_t count;     ///< of x modes
};

/// terms[m] = (1 - lambda^k)/(1 - lambda) g_m and steps[m] = lambda^(k-1) g_m, the difference from sweep k - 1; k >= 1.
/// Powers as their distance from 1, d = 1 - |lambda|^j: squaring d -> d(2 - d) keeps its relative accuracy however near to 1
/// |lambda| is, which squaring |lambda| would not. One loop a bit of k, each over all modes, so that compilers vectorise them.
void evaluate_row(const AxisModes& x, const Row& row, Index k, std::vector<double>& terms, std::vector<double>& steps,
                  std::vector<double>& scratch) {
    double* const distance = steps.data();
    double* const square = scratch.data();
    for (std::size_t m = 0; m < row.count; ++m) {
        square[m] = std::min(x.loss[m] + row.loss, x.gain[m] + row.gain);
        distance[m] = 0;
    }
    for (Index bits = k - 1; bits != 0; bits /= 2) {
        if (bits % 2 != 0) {
            for (std::size_t m = 0; m < row.count; ++m) distance[m] += square[m] * (1 - distance[m]);
        }
        for (std::size_t m = 0; m < row.count; ++m) square[m] *= 2 - square[m];
    }
    const double odd_power = k % 2 == 0 ? -1 : 1;  // sign of lambda^(k-1) for lambda < 0
    for (std::size_t m = 0; m < row.count; ++m) {
        const double loss = x.loss[m] + row.loss;
        const double gain = x.gain[m] + row.gain;
        const double g = row.face * x.tangent[m] + row.tangent * x.face[m];
        const double power = 1 - distance[m];                            // |lambda|^(k-1)
        const double last = distance[m] + power * std::min(loss, gain);  // 1 - |lambda|^k
        const bool negative = gain < loss;
        const double remainder = negative && odd_power > 0 ? 2 - last : last;  // 1 - lambda^k
        terms[m] = remainder / loss * g;
        steps[m] = negative ? odd_power * power * g : power * g;
    }
}

double dot(const double* a, const double* b, std::size_t count) {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> partial{};
    std::size_t m = 0;
    for (; m + lanes <= count; m += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) partial[lane] += a[m + lane] * b[m + lane];
    }
    for (std::size_t lane = 0; m < count; ++m, ++lane) partial[lane] += a[m] * b[m];
    return ((partial[0] + partial[1]) + (partial[2] + partial[3])) + ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

/// u_k and u_k - u_{k-1} at every sample, 2 numbers each; rows of modes are dealt out to the ranks in turn.
std::vector<double> evaluate_series(const Arguments& args) {
    const std::vector<Index3>& samples = args.samples;
    const auto shares = axis_shares(args.problem.grid);
    const AxisModes x = axis_modes(args.problem, 0, shares[0], samples);
    const AxisModes y = axis_modes(args.problem, 1, shares[1], samples);
    const AxisModes z = axis_modes(args.problem, 2, shares[2], samples);

    std::map<Index, std::vector<std::size_t>> samples_at_x;  // those with the same x share their sum over the row
    for (std::size_t s = 0; s < samples.size(); ++s) samples_at_x[samples[s][0]].push_back(s);

    int rank = 0, ranks = 1;
    MPI_Comm_rank(args.comm, &rank);
    MPI_Comm_size(args.comm, &ranks);
    std::vector<CompensatedSum> sums(2 * samples.size());
    std::vector<double> terms(x.count()), steps(x.count()), scratch(x.count());
    int turn = 0;
    for (std::size_t iz = 0; iz < z.count(); ++iz) {
        // Two even modes leave no axis whose face could have caused them; one leaves only its own, with odd modes on the others.
        for (std::size_t iy = 0; iy < (iz < z.odd ? y.count() : y.odd); ++iy) {
            const bool mine = turn == rank;
            turn = (turn + 1) % ranks;
            if (!mine) continue;
            const Row row{y.loss[iy] + z.loss[iz], y.gain[iy] + z.gain[iz],
                          y.face[iy] * z.tangent[iz] + y.tangent[iy] * z.face[iz], y.tangent[iy] * z.tangent[iz],
                          iz < z.odd && iy < y.odd ? x.count() : x.odd};
            evaluate_row(x, row, args.iteration, terms, steps, scratch);
            for (const auto& [position, group] : samples_at_x) {
                const double* phi_x = x.samples[group.front()].data();
                const double term = dot(terms.data(), phi_x, row.count);
                const double step = dot(steps.data(), phi_x, row.count);
                for (std::size_t s : group) {
                    const double phi_yz = y.samples[s][iy] * z.samples[s][iz];
                    sums[2 * s].add(term * phi_yz);
                    sums[2 * s + 1].add(step * phi_yz);
                }
            }
        }
    }
    std::vector<double> mine, all(sums.size());
    for (const CompensatedSum& sum : sums) mine.push_back(sum.value());
    // Reduced on one rank and sent to the others, so that all decide from the same bits.
    MPI_Reduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, 0, args.comm);
    MPI_Bcast(all.data(), static_cast<int>(all.size()), MPI_DOUBLE, 0, args.comm);
    return all;
}

/// Largest difference from the series at the samples inside this rank's block and, in every cell, from the range that no sweep
/// leaves: every update is an average of neighbours, faces and, at the start, 0.
template <class T>
Largest measure(const Arguments& args, const std::vector<double>& series) {
    const Box& block = args.block;
    const Index3 n = block.extent();
    double low = 0, high = 0;
    for (int face = 0; face < face_count; ++face) {
        if (args.problem.grid.periodic[face / 2]) continue;
        low = std::min(low, args.problem.faces[face]);
        high = std::max(high, args.problem.faces[face]);
    }
    std::multimap<Index, std::size_t> samples_at_z;
    for (std::size_t s = 0; s < args.samples.size(); ++s) {
        bool inside = true;
        for (int a = 0; a < 3; ++a) inside = inside && args.samples[s][a] >= block.lo[a] && args.samples[s][a] < block.hi[a];
        if (inside) samples_at_z.emplace(args.samples[s][2] - block.lo[2], s);
    }
    Largest largest;
    for_each_plane<T>(block, args.read, [&](Index z, const T* u) {
        for (Index i = 0; i < n[0] * n[1]; ++i) {
            const auto value = static_cast<double>(u[i]);
            largest.add(value - std::clamp(value, low, high));
        }
        const auto [first, last] = samples_at_z.equal_range(z);
        for (auto it = first; it != last; ++it) {
            const Index3& cell = args.samples[it->second];
            const T value = u[cell[0] - block.lo[0] + n[0] * (cell[1] - block.lo[1])];
            largest.add(static_cast<double>(value) - series[2 * it->second]);
        }
    });
    return largest;
}

}  // namespace

Comparison compare_with_sine_series(const Arguments& args) {
    const Problem& problem = args.problem;
    const Spacing spacing = spacing_of(args.precision);
    Comparison result;
    result.name = "laplace sine series";
    result.measure = "max|face|";
    double scale = 0;
    for (int face = 0; face < face_count; ++face) {
        if (!problem.grid.periodic[face / 2]) scale = std::max(scale, std::abs(problem.faces[face]));
    }
    result.exact_zero = scale == 0;
    const bool zero = result.exact_zero || args.iteration == 0;
    const std::vector<double> series = zero ? std::vector<double>(2 * args.samples.size(), 0.0) : evaluate_series(args);

    const Largest mine = args.precision == Precision::float64 ? measure<double>(args, series) : measure<float>(args, series);
    const double error = mine.of_all_ranks(args.comm);
    result.finite = std::isfinite(error);
    result.error = result.exact_zero ? error : error / scale;
    if (zero) return result;  // zero to the last bit: a bound of 0

    const auto k = static_cast<double>(args.iteration);
    result.bound = (sweep_epsilons * k + 1) * spacing.epsilon + series_epsilons * std::numeric_limits<double>::epsilon() +
                   sweep_denormals * (k + 1) * spacing.denormal / scale;
    for (std::size_t s = 0; s < args.samples.size(); ++s)
        result.step = std::max(result.step, std::abs(series[2 * s + 1]) / scale);
    return result;
}

}  // namespace jacobi::closed_form
