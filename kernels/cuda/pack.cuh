// Loads of packs.
#pragma once

#include "cells.cuh"

namespace jacobi::cuda {

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

}  // namespace jacobi::cuda
