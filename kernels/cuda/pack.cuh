// 16-byte groups of neighbouring cells: the unit of loads and stores.
#pragma once

#include "stencil.hpp"

namespace jacobi::cuda {

/// Cells a thread handles along x at a time.
template <class T>
inline constexpr int pack_cells = 16 / static_cast<int>(sizeof(T));

template <class T>
struct alignas(16) Pack {
    T v[pack_cells<T>];
};

/// Plain loads: also right for halos that a neighbour stores into before this kernel starts or, after an acquire, while it
/// runs. The read-only path (ld.global.nc) is for cells that only this rank writes.
template <bool ReadOnly, class T>
__device__ inline Pack<T> load_pack(const T* p) {
    if constexpr (ReadOnly && sizeof(T) == 8) {
        const double2 raw = __ldg(reinterpret_cast<const double2*>(p));
        return {raw.x, raw.y};
    } else if constexpr (ReadOnly) {
        const float4 raw = __ldg(reinterpret_cast<const float4*>(p));
        return {raw.x, raw.y, raw.z, raw.w};
    } else {
        return *reinterpret_cast<const Pack<T>*>(p);
    }
}

/// Stores the first `valid` cells.
template <class T>
__device__ inline void store_cells(T* p, const Pack<T>& value, int valid) {
    if (valid >= pack_cells<T>) {
        *reinterpret_cast<Pack<T>*>(p) = value;
    } else {
#pragma unroll
        for (int i = 0; i < pack_cells<T>; ++i) {
            if (i < valid) p[i] = value.v[i];
        }
    }
}

}  // namespace jacobi::cuda
