// Reductions over a block: residual maximum, residual square sum, digest. All are integer sums or maxima, so their order, and
// with it the launch shape, cannot show in a result.
#pragma once

#include "digest.hpp"
#include "fixed_sum.hpp"
#include "sweep.cuh"

namespace jacobi::cuda {

inline constexpr int reduce_threads = 256;

struct ReduceSum {
    __device__ static void warp(std::uint64_t& v, unsigned delta) { v += __shfl_down_sync(0xffffffffu, v, delta); }
    __device__ static void global(std::uint64_t* to, std::uint64_t v) { atomicAdd(reinterpret_cast<unsigned long long*>(to), v); }
};
struct ReduceMax {
    __device__ static void warp(std::uint64_t& v, unsigned delta) {
        const std::uint64_t other = __shfl_down_sync(0xffffffffu, v, delta);
        v = other > v ? other : v;
    }
    __device__ static void global(std::uint64_t* to, std::uint64_t v) { atomicMax(reinterpret_cast<unsigned long long*>(to), v); }
};

/// Combines one value a thread into *result. All threads of the block take part.
template <class Op>
__device__ inline void reduce_into(std::uint64_t* result, std::uint64_t v) {
    for (unsigned delta = 16; delta > 0; delta /= 2) Op::warp(v, delta);
    if (threadIdx.x % 32 == 0) Op::global(result, v);
}

/// Calls body(x, y, z, element) for the cells of the block that fall to this thread. Grid: one row of blocks over y, z.
template <class Body>
__device__ inline void for_cells(int nx, int ny, int nz, Index pitch, Index plane, Body&& body) {
    const std::int64_t rows = static_cast<std::int64_t>(ny) * nz;
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const int y = static_cast<int>(row % ny), z = static_cast<int>(row / ny);
        for (int x = threadIdx.x; x < nx; x += blockDim.x) body(x, y, z, x + y * pitch + z * plane);
    }
}

/// r = diag (u_{k+1} - u_k) of cell (x, y, z) of a block of nx cells along x, at element `at`, in the working precision.
template <class T>
__device__ inline T residual(const SweepArgs<T>& a, int nx, int x, int y, int z, Index at) {
    const T* u = a.u + at;
    const T left = x == 0 ? a.beyond_x[0].at(y, z) : u[-1], right = x == nx - 1 ? a.beyond_x[1].at(y, z) : u[1];
    const T sum = a.b != nullptr ? x_part(a.cx, left, right, a.b[at]) : x_part(a.cx, left, right);
    return a.diag * (yz_part(a.cy, a.cz, sum, u[-a.pitch], u[a.pitch], u[-a.plane], u[a.plane]) - u[0]);
}

template <class T>
__global__ void residual_max_kernel(const SweepArgs<T> a, int nx, int ny, int nz, std::uint64_t* result) {
    std::uint64_t largest = 0;
    for_cells(nx, ny, nz, a.pitch, a.plane, [&](int x, int y, int z, Index at) {
        const std::uint64_t bits = __double_as_longlong(static_cast<double>(residual(a, nx, x, y, z, at))) & 0x7fffffffffffffffll;
        largest = bits > largest ? bits : largest;
    });
    reduce_into<ReduceMax>(result, largest);
}

template <class T>
__global__ void residual_sum_kernel(const SweepArgs<T> a, int nx, int ny, int nz, double first, double second,
                                    std::uint64_t* result) {
    FixedSum sum;
    for_cells(nx, ny, nz, a.pitch, a.plane, [&](int x, int y, int z, Index at) {
        add_square(sum, static_cast<double>(residual(a, nx, x, y, z, at)), first, second);
    });
    reduce_into<ReduceSum>(result, sum.hi);
    reduce_into<ReduceSum>(result + 1, sum.lo);
}

template <class T>
__global__ void digest_kernel(const T* u, Index pitch, Index plane, int nx, int ny, int nz, Grid grid, Index3 lo,
                              std::uint64_t* result) {
    std::uint64_t sum = 0;
    const Index gx = grid.cells[0], gy = grid.cells[1];
    for_cells(nx, ny, nz, pitch, plane, [&](int x, int y, int z, Index at) {
        sum += digest_term((lo[0] + x) + gx * ((lo[1] + y) + gy * (lo[2] + z)), u[at]);
    });
    reduce_into<ReduceSum>(result, sum);
}

}  // namespace jacobi::cuda
