#include "closed_form.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "closed_form_parts.hpp"

namespace jacobi {
namespace closed_form {

namespace {
constexpr long double pi = std::numbers::pi_v<long double>;
}

Spacing spacing_of(Precision precision) {
    if (precision == Precision::float64)
        return {std::numeric_limits<double>::epsilon(), std::numeric_limits<double>::denorm_min()};
    return {std::numeric_limits<float>::epsilon(), std::numeric_limits<float>::denorm_min()};
}

std::array<long double, 3> axis_shares(const Grid& grid) {
    std::array<long double, 3> w;
    for (int a = 0; a < 3; ++a) {
        const long double intervals = static_cast<long double>(grid.cells[a]) + (grid.periodic[a] ? 0 : 1);
        const long double per_length = intervals / static_cast<long double>(grid.length[a]);
        w[a] = per_length * per_length;
    }
    const long double sum = w[0] + w[1] + w[2];
    return {w[0] / sum, w[1] / sum, w[2] / sum};
}

Part axis_part(const Grid& grid, int axis, Index mode, long double share) {
    // Half the mode's phase from cell to cell, pi m/n or pi m/(2(n+1)): 1 - cos = 2 sin^2 of it, 1 + cos = 2 cos^2 of it.
    const Index denominator = grid.periodic[axis] ? grid.cells[axis] : 2 * (grid.cells[axis] + 1);
    const long double half = pi * static_cast<long double>(mode % denominator) / static_cast<long double>(denominator);
    const long double sine = std::sin(half);
    const long double cosine = std::cos(half);
    return {2 * share * sine * sine, 2 * share * cosine * cosine};
}

long double axis_sine(const Grid& grid, int axis, Index mode, Index cell) {
    const bool periodic = grid.periodic[axis];
    if (periodic && mode == 0) return 1;
    const Index q = periodic ? grid.cells[axis] : grid.cells[axis] + 1;  // the phase is pi p/q
    const auto p =
        static_cast<Index>(static_cast<__int128>(mode) * (periodic ? 2 * cell : cell + 1) % (2 * static_cast<__int128>(q)));
    if (p % q == 0) return 0;
    return std::sin(pi * static_cast<long double>(p) / static_cast<long double>(q));
}

double Largest::of_all_ranks(MPI_Comm comm) const {
    std::uint64_t largest = 0;  // integers, because MPI_MAX of doubles promises nothing about NaN
    MPI_Allreduce(&bits_, &largest, 1, MPI_UINT64_T, MPI_MAX, comm);
    return std::bit_cast<double>(largest);
}

}  // namespace closed_form

namespace {

ClosedFormCheck judge(const closed_form::Comparison& c, Index iteration) {
    if (c.exact_zero) {
        if (c.error == 0) return {Verdict::skipped, 0, 0, fmt::format("{}: the exact field is zero in every sweep", c.name)};
        return {Verdict::fail, c.error, 0, fmt::format("{}: the exact field is zero, max|u| is {:.1e}", c.name, c.error)};
    }
    const std::string found =
        fmt::format("{}, max error {:.1e} of {}, bound {:.1e}{}", c.name, c.error, c.measure, c.bound, c.remark);
    if (!c.finite) return {Verdict::fail, c.error, c.bound, found + ": the field is not finite"};
    if (!(c.error <= c.bound)) return {Verdict::fail, c.error, c.bound, found};
    // The field of sweep k - 1 would show an error of `step`, give or take the bound.
    if (iteration > 0 && !(c.step > 2 * c.bound)) {
        return {Verdict::skipped, c.error, c.bound,
                fmt::format("{}: cannot tell sweep {} from {}, which differ by {:.1e}", found, iteration, iteration - 1, c.step)};
    }
    // A field of zeros would show an error of 1: a mode with lambda near 0 ends in noise after one sweep.
    if (!(2 * c.bound < 1))
        return {Verdict::skipped, c.error, c.bound, found + ": the exact field is smaller than rounding errors"};
    return {Verdict::pass, c.error, c.bound, found};
}

}  // namespace

ClosedFormCheck verify_closed_form(MPI_Comm comm, const Problem& problem, Precision precision, Index iteration, const Box& block,
                                   const ReadPlanes& read, const std::vector<Index3>& samples) {
    const closed_form::Arguments arguments{comm, problem, precision, iteration, block, read, samples};
    switch (problem.kind) {
        case ProblemKind::eigenmode:
        case ProblemKind::poisson: return judge(closed_form::compare_with_sine_product(arguments), iteration);
        case ProblemKind::laplace: return judge(closed_form::compare_with_sine_series(arguments), iteration);
        case ProblemKind::random: break;
    }
    return {Verdict::skipped, 0, 0, "the random problem has no closed form"};
}

std::vector<Index3> closed_form_samples(const Grid& grid, const std::vector<Box>& blocks) {
    const Index3 n = grid.cells;
    std::vector<Index3> samples;
    const auto corner_of = [&samples](const Index3& low, const Index3& high, int corner) {
        samples.push_back({corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1], corner & 4 ? high[2] : low[2]});
    };

    // The eight cells where blocks meet nearest the middle of the grid; on an axis that is not cut, the grid's first and last
    // cell.
    Index3 low{0, 0, 0};
    Index3 high{n[0] - 1, n[1] - 1, n[2] - 1};
    for (int a = 0; a < 3; ++a) {
        Index cut = 0;
        for (const Box& block : blocks) {
            const Index here = block.lo[a];
            if (here > 0 && here < n[a] && (cut == 0 || std::abs(2 * here - n[a]) < std::abs(2 * cut - n[a]))) cut = here;
        }
        if (cut > 0) {
            low[a] = cut - 1;
            high[a] = cut;
        }
    }
    for (int corner = 0; corner < 8; ++corner) corner_of(low, high, corner);

    // Two opposite corners of the grid, and one corner each of two other blocks.
    samples.push_back({0, 0, 0});
    samples.push_back({n[0] - 1, n[1] - 1, n[2] - 1});
    for (std::size_t third : {1, 2}) {
        Box block{{0, 0, 0}, n};
        if (!blocks.empty() && !blocks[third * blocks.size() / 3].empty()) block = blocks[third * blocks.size() / 3];
        corner_of(block.lo, {block.hi[0] - 1, block.hi[1] - 1, block.hi[2] - 1}, third == 1 ? 5 : 2);
    }

    for (std::uint64_t i = 0; samples.size() < 16; i += 3) {
        Index3 cell;
        for (int a = 0; a < 3; ++a) cell[a] = static_cast<Index>(mix64(i + a + 1) % static_cast<std::uint64_t>(n[a]));
        samples.push_back(cell);
    }
    return samples;
}

}  // namespace jacobi
