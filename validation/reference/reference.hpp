// The independent serial solver that every other way of running is compared with, bit for bit: plain loops, own indexing, own
// halo handling. It shares with the solver only the problem definitions (kernels/problem.hpp), the mixer of the digest and the
// definition of the reproducible sum.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace jacobi {

/// The whole grid's field, without halos, advanced sweep by sweep. T is double or float.
template <class T>
class Reference {
 public:
    explicit Reference(const Problem& problem);

    void advance(Index sweeps);
    Index iteration() const { return iteration_; }

    /// Cell (x, y, z) at x + nx(y + ny z).
    const std::vector<T>& values() const { return current_; }
    std::uint64_t digest() const;

    /// Residual of the current field: maximum (NaN wins) and root mean square (kernels/fixed_sum.hpp's definition; equal to the
    /// maximum where that is 0, infinite or NaN).
    struct Residual {
        double max, l2;
    };
    Residual residual() const;

 private:
    std::size_t row_start(Index y, Index z) const;
    const T* row_or_face(Index y, Index z) const;
    void update_row(Index y, Index z, std::vector<T>& padded, T* result) const;
    template <class Visit>
    void for_each_residual(Visit visit) const;

    Problem problem_;
    Coefficients<T> coefficients_;
    Index iteration_ = 0;
    std::array<std::vector<T>, face_count> face_rows_;  // a row of each Dirichlet face's value
    std::vector<T> current_, next_, rhs_;
};

}  // namespace jacobi
