// Groups of neighbouring cells: the unit of loads and stores.
#pragma once

#include "stencil.hpp"

namespace jacobi::cuda {

/// N neighbouring cells, loaded and stored as one.
template <class T, int N>
struct alignas(N * sizeof(T)) Cells {
    T v[N];

    __device__ static Cells all(T value) {
        Cells c;
#pragma unroll
        for (int i = 0; i < N; ++i) c.v[i] = value;
        return c;
    }
};

/// Cells in 16 bytes: what a thread mostly handles along x at a time.
template <class T>
inline constexpr int pack_cells = 16 / static_cast<int>(sizeof(T));
template <class T>
using Pack = Cells<T, pack_cells<T>>;

/// A number of which the compiler knows nothing: what is worked out from it is worked out there, and takes no registers
/// elsewhere.
template <class Integer>
__device__ inline Integer opaque(Integer number) {
    static_assert(sizeof(Integer) == 4);
    asm volatile("" : "+r"(number));
    return number;
}

/// Stores the first `valid` of them.
template <class T, int N>
__device__ inline void store_cells(T* p, const Cells<T, N>& cells, int valid) {
    if (valid >= N) {
        *reinterpret_cast<Cells<T, N>*>(p) = cells;
    } else {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            if (i < valid) p[i] = cells.v[i];
        }
    }
}

}  // namespace jacobi::cuda
