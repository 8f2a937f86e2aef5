// A second, deliberately simple implementation of the sweep for tests: cell by cell, every neighbour looked up by condition.
#pragma once

#include <cmath>
#include <vector>

#include "problem.hpp"

namespace jacobi::plain {

/// A problem's field with what a sweep needs, all of it open to tests that want to spoil something. Work is the type of the
/// arithmetic: T for the same bits, long double for a more exact result.
template <class T, class Work = T>
struct Field {
    Problem problem;
    Work cx, cy, cz, diag;
    std::vector<Work> u, b;

    explicit Field(const Problem& p) : problem(p) {
        const auto c = coefficients<T>(p.grid);
        cx = c.cx;
        cy = c.cy;
        cz = c.cz;
        diag = c.diag;
        const auto fx = axis_factors(p, 0), fy = axis_factors(p, 1), fz = axis_factors(p, 2);
        const Index3 n = p.grid.cells;
        const double kappa = p.has_rhs() ? poisson_kappa(p) : 0;
        const ProblemView view{p.kind, n[0], n[1], n[2], fx.data(), fy.data(), fz.data(), kappa, c.diag_full, p.seed};
        for (Index z = 0; z < n[2]; ++z) {
            for (Index y = 0; y < n[1]; ++y) {
                for (Index x = 0; x < n[0]; ++x) {
                    u.push_back(initial_value<T>(view, x, y, z));
                    if (p.has_rhs()) b.push_back(rhs_value<T>(view, x, y, z));
                }
            }
        }
    }

    Work neighbour(Index3 cell, int axis, int step) const {
        const Index n = problem.grid.cells[axis];
        cell[axis] += step;
        if (problem.grid.periodic[axis]) {
            cell[axis] = (cell[axis] + n) % n;
        } else if (cell[axis] < 0 || cell[axis] >= n) {
            return static_cast<T>(problem.faces[2 * axis + (step > 0 ? 1 : 0)]);
        }
        return u[at(cell)];
    }
    std::size_t at(const Index3& cell) const { return static_cast<std::size_t>(problem.grid.linear(cell[0], cell[1], cell[2])); }

    Work updated(const Index3& cell) const {
        const Work x = neighbour(cell, 0, -1) + neighbour(cell, 0, +1);
        const Work y = neighbour(cell, 1, -1) + neighbour(cell, 1, +1);
        const Work inner = b.empty() ? cx * x : std::fma(cx, x, b[at(cell)]);
        return std::fma(cz, neighbour(cell, 2, +1), std::fma(cz, neighbour(cell, 2, -1), std::fma(cy, y, inner)));
    }

    /// The field after one more sweep, without storing it.
    std::vector<Work> next() const {
        std::vector<Work> result;
        const Index3 n = problem.grid.cells;
        for (Index z = 0; z < n[2]; ++z) {
            for (Index y = 0; y < n[1]; ++y) {
                for (Index x = 0; x < n[0]; ++x) result.push_back(updated({x, y, z}));
            }
        }
        return result;
    }
    void advance(Index sweeps) {
        for (Index sweep = 0; sweep < sweeps; ++sweep) u = next();
    }
};

}  // namespace jacobi::plain
