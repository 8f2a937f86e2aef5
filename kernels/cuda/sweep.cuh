// What all sweep kernels take and do: their arguments, the update of a pack.
#pragma once

#include "backend.hpp"
#include "pack.cuh"

namespace jacobi::cuda {

/// The cells beyond an x face, as XHalo; beyond a wall one that stands for all, which is in a cache.
template <class T>
struct BeyondX {
    const T* first;
    Index pitch, plane;  ///< zero at a wall

    __device__ T at(int y, int z) const { return first[y * pitch + z * plane]; }
};

/// Part of the kernels' arguments that never changes during a run but for the two buffers. Pointers address cell (0, 0, 0).
template <class T>
struct SweepArgs {
    const T* u;  ///< generation g
    T* out;      ///< generation g + 1
    const T* b;  ///< right-hand side over diag, strides of the field; null: none
    Index pitch, plane;
    T cx, cy, cz, diag;
    BeyondX<T> beyond_x[3];  ///< faces 0 and 1; the strides of the field, for cells in the rows
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
