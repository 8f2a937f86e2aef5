#include "reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "digest.hpp"
#include "fixed_sum.hpp"

// A build for any x86-64 processor has no FMA instruction: each __builtin_fma is then a call of libm's fma, with the same bits in
// ten times the time. So on such builds the row update is compiled twice and chosen at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
#define JACOBI_CHOOSE_FMA 1
#else
#define JACOBI_CHOOSE_FMA 0
#endif

namespace jacobi {
namespace {

[[gnu::always_inline]] inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
[[gnu::always_inline]] inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/// What the update of one row reads. x holds the row between its two x neighbours: x[i + 1] is cell i.
template <class T>
struct Row {
    Index n;
    const T *x, *y_minus, *y_plus, *z_minus, *z_plus;
    const T* b;  ///< null without a right-hand side
    T* result;
};

template <class T>
[[gnu::always_inline]] inline void update(const Coefficients<T>& c, const Row<T>& row) {
    const T cx = c.cx, cy = c.cy, cz = c.cz;
    if (row.b != nullptr) {
        for (Index i = 0; i < row.n; ++i) {
            const T x = fused(cx, row.x[i] + row.x[i + 2], row.b[i]);
            row.result[i] = fused(cz, row.z_plus[i], fused(cz, row.z_minus[i], fused(cy, row.y_minus[i] + row.y_plus[i], x)));
        }
    } else {
        for (Index i = 0; i < row.n; ++i) {
            const T x = cx * (row.x[i] + row.x[i + 2]);
            row.result[i] = fused(cz, row.z_plus[i], fused(cz, row.z_minus[i], fused(cy, row.y_minus[i] + row.y_plus[i], x)));
        }
    }
}

#if JACOBI_CHOOSE_FMA
template <class T>
__attribute__((target("avx2,fma"))) void update_with_fma(const Coefficients<T>& c, const Row<T>& row) {
    update(c, row);
}
#endif

template <class T>
void update_dispatched(const Coefficients<T>& c, const Row<T>& row) {
#if JACOBI_CHOOSE_FMA
    static const bool has_fma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
    if (has_fma) return update_with_fma(c, row);
#endif
    update(c, row);
}

Index wrapped(Index i, Index n) { return (i + n) % n; }

}  // namespace

template <class T>
Reference<T>::Reference(const Problem& problem) : problem_(problem), coefficients_(coefficients<T>(problem.grid)) {
    const Index3 n = problem.grid.cells;
    const auto cells = static_cast<std::size_t>(volume(n));
    const std::array<std::vector<double>, 3> factors{axis_factors(problem, 0), axis_factors(problem, 1),
                                                     axis_factors(problem, 2)};
    const ProblemView view{problem.kind,
                           n[0],
                           n[1],
                           n[2],
                           factors[0].data(),
                           factors[1].data(),
                           factors[2].data(),
                           problem.has_rhs() ? poisson_kappa(problem) : 0.0,
                           coefficients_.diag_full,
                           problem.seed};
    current_.resize(cells);
    next_.resize(cells);
    if (problem.has_rhs()) rhs_.resize(cells);
    std::size_t at = 0;
    for (Index z = 0; z < n[2]; ++z) {
        for (Index y = 0; y < n[1]; ++y) {
            for (Index x = 0; x < n[0]; ++x, ++at) {
                current_[at] = initial_value<T>(view, x, y, z);
                if (problem.has_rhs()) rhs_[at] = rhs_value<T>(view, x, y, z);
            }
        }
    }
    for (int face = 0; face < face_count; ++face)
        face_rows_[face].assign(static_cast<std::size_t>(n[0]), static_cast<T>(problem.faces[face]));
}

template <class T>
std::size_t Reference<T>::row_start(Index y, Index z) const {
    const Index3 n = problem_.grid.cells;
    return static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(y + n[1] * z);
}

/// The row at (y, z), at most one of which lies one step outside the grid: wrapped where periodic, else the face's values.
template <class T>
const T* Reference<T>::row_or_face(Index y, Index z) const {
    const Grid& grid = problem_.grid;
    if (grid.periodic[1]) y = wrapped(y, grid.cells[1]);
    if (grid.periodic[2]) z = wrapped(z, grid.cells[2]);
    if (y < 0) return face_rows_[2].data();
    if (y >= grid.cells[1]) return face_rows_[3].data();
    if (z < 0) return face_rows_[4].data();
    if (z >= grid.cells[2]) return face_rows_[5].data();
    return current_.data() + row_start(y, z);
}

/// One Jacobi update of the row at (y, z) from the current field. `padded` is scratch space of nx + 2 values.
template <class T>
void Reference<T>::update_row(Index y, Index z, std::vector<T>& padded, T* result) const {
    const Grid& grid = problem_.grid;
    const Index n = grid.cells[0];
    const T* row = current_.data() + row_start(y, z);
    std::copy(row, row + n, padded.begin() + 1);
    padded.front() = grid.periodic[0] ? row[wrapped(-1, n)] : static_cast<T>(problem_.faces[0]);
    padded.back() = grid.periodic[0] ? row[wrapped(n, n)] : static_cast<T>(problem_.faces[1]);
    const T* b = rhs_.empty() ? nullptr : rhs_.data() + row_start(y, z);
    update_dispatched<T>(coefficients_, {n, padded.data(), row_or_face(y - 1, z), row_or_face(y + 1, z), row_or_face(y, z - 1),
                                         row_or_face(y, z + 1), b, result});
}

template <class T>
void Reference<T>::advance(Index sweeps) {
    std::vector<T> padded(static_cast<std::size_t>(problem_.grid.cells[0]) + 2);
    for (Index sweep = 0; sweep < sweeps; ++sweep) {
        for (Index z = 0; z < problem_.grid.cells[2]; ++z) {
            for (Index y = 0; y < problem_.grid.cells[1]; ++y) update_row(y, z, padded, next_.data() + row_start(y, z));
        }
        std::swap(current_, next_);
        ++iteration_;
    }
}

template <class T>
std::uint64_t Reference<T>::digest() const {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < current_.size(); ++at) sum += digest_term(static_cast<Index>(at), current_[at]);
    return sum;
}

/// Calls visit(r) for every cell with r = diag (u_{k+1} - u_k) in T; the next field is computed row by row and not kept.
template <class T>
template <class Visit>
void Reference<T>::for_each_residual(Visit visit) const {
    const auto n = static_cast<std::size_t>(problem_.grid.cells[0]);
    std::vector<T> padded(n + 2), updated(n);
    for (Index z = 0; z < problem_.grid.cells[2]; ++z) {
        for (Index y = 0; y < problem_.grid.cells[1]; ++y) {
            update_row(y, z, padded, updated.data());
            for (std::size_t x = 0; x < n; ++x) {
                const T r = coefficients_.diag * (updated[x] - padded[x + 1]);
                visit(static_cast<double>(r));
            }
        }
    }
}

template <class T>
typename Reference<T>::Residual Reference<T>::residual() const {
    // The bits of non-negative numbers order as the numbers do, with infinity and then NaN above them all.
    std::uint64_t largest = 0;
    for_each_residual([&](double r) { largest = std::max(largest, std::bit_cast<std::uint64_t>(std::abs(r))); });
    const double max = std::bit_cast<double>(largest);
    if (!(max > 0) || !std::isfinite(max)) return {max, max};
    const FixedScale scale = FixedScale::of(max);
    FixedSum sum;
    for_each_residual([&](double r) { add_square(sum, r, scale.first, scale.second); });
    return {max, root_mean_square(sum, scale, volume(problem_.grid.cells))};
}

template class Reference<double>;
template class Reference<float>;

}  // namespace jacobi
