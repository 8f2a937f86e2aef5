// What all sweep kernels take and do: their arguments, the update of a pack.
#pragma once

#include "backend.hpp"
#include "pack.cuh"

namespace jacobi::cuda {

/// Part of the kernels' arguments that never changes during a run but for the two buffers. Pointers address cell (0, 0, 0).
template <class T>
struct SweepArgs {
    const T* u;  ///< generation g
    T* out;      ///< generation g + 1
    const T* b;  ///< right-hand side over diag, strides of the field; null: none
    Index pitch, plane;
    T cx, cy, cz, diag;
    // Packs whose left or right neighbour is the value of a Dirichlet face, by the x of their first cell; -1: none. Marches do
    // not load those halo cells: the lines of memory that hold nothing else are 3 to 6 % of a field of 512 cells a row.
    int wall_left = -1, wall_right = -1;
    T left_value = 0, right_value = 0;
};

/// The update of a pack (kernels/stencil.hpp), given its neighbours: the cells to the left and right, the packs before and behind
/// (y), below and above (z).
template <bool Rhs, class T>
__device__ inline Pack<T> update_pack(const SweepArgs<T>& a, T left, T right, const Pack<T>& ym, const Pack<T>& yp,
                                      const Pack<T>& zm, const Pack<T>& centre, const Pack<T>& zp, const Pack<T>& rhs) {
    Pack<T> next;
#pragma unroll
    for (int i = 0; i < pack_cells<T>; ++i) {
        const T xm = i == 0 ? left : centre.v[i == 0 ? 0 : i - 1];
        const T xp = i == pack_cells<T> - 1 ? right : centre.v[i == pack_cells<T> - 1 ? i : i + 1];
        T sum;
        if constexpr (Rhs) {
            sum = x_part(a.cx, xm, xp, rhs.v[i]);
        } else {
            sum = x_part(a.cx, xm, xp);
        }
        next.v[i] = yz_part(a.cy, a.cz, sum, ym.v[i], yp.v[i], zm.v[i], zp.v[i]);
    }
    return next;
}

}  // namespace jacobi::cuda
