#include "problem.hpp"

namespace jacobi {
namespace {

// Products such as mode * (cell + 1) must be reduced before they are cut to 64 bits.
using WideIndex = __int128;

constexpr double pi = 0x1.921fb54442d18p+1;

bool has_product(const Problem& problem) {
    return problem.kind == ProblemKind::eigenmode || problem.kind == ProblemKind::poisson;
}

}  // namespace

template <class T>
Coefficients<T> coefficients(const Grid& grid) {
    std::array<double, 3> w;
    for (int a = 0; a < 3; ++a) {
        const double h = grid.spacing(a);
        w[a] = 1.0 / (h * h);
    }
    const double diag = 2.0 * ((w[0] + w[1]) + w[2]);
    return {static_cast<T>(w[0] / diag), static_cast<T>(w[1] / diag), static_cast<T>(w[2] / diag), static_cast<T>(diag), diag};
}
template Coefficients<float> coefficients<float>(const Grid&);
template Coefficients<double> coefficients<double>(const Grid&);

std::vector<double> axis_factors(const Problem& problem, int axis) {
    const Index n = problem.grid.cells[axis];
    const Index m = problem.mode[axis];
    const bool periodic = problem.grid.periodic[axis];
    std::vector<double> factors(static_cast<std::size_t>(n), 1.0);
    if (!has_product(problem) || (periodic && m == 0)) return factors;
    const Index q = periodic ? n : n + 1;
    for (Index i = 0; i < n; ++i) {
        const WideIndex p = static_cast<WideIndex>(m) * (periodic ? 2 * i : i + 1);
        factors[static_cast<std::size_t>(i)] = sin_pi(static_cast<Index>(p % (2 * static_cast<WideIndex>(q))), q);
    }
    return factors;
}

double poisson_kappa(const Problem& problem) {
    std::array<double, 3> squares;
    for (int a = 0; a < 3; ++a) {
        const double m = static_cast<double>(problem.mode[a]);
        const double wave_number = (problem.grid.periodic[a] ? 2.0 * pi * m : pi * m) / problem.grid.length[a];
        squares[a] = wave_number * wave_number;
    }
    return (squares[0] + squares[1]) + squares[2];
}

}  // namespace jacobi
