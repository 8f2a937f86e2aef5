// Launch shapes of the sweep kernels.
#pragma once

#include <algorithm>

#include "handles.hpp"
#include "sweep.cuh"

namespace jacobi::cuda {

constexpr unsigned blocks_for(int n, int unit) { return static_cast<unsigned>((n + unit - 1) / unit); }

/// Rows of a tile and planes of a chunk of the marching kernel, measured on an H200 (kernels/README.md).
inline constexpr int march_rows = 8;
template <class T>
int march_chunk(const Range& r) {
    const int planes = r.hi[2] - r.lo[2];
    return std::min(planes, 8);
}

template <class T, bool Rhs, bool Push>
void launch_march(const SweepArgs<T>& a, const Range& r, const PushTargets<T>& to, cudaStream_t stream) {
    const int chunk = march_chunk<T>(r);
    const dim3 grid(blocks_for(r.hi[0] - r.lo[0], 32 * pack_cells<T>), blocks_for(r.hi[1] - r.lo[1], march_rows),
                    blocks_for(r.hi[2] - r.lo[2], chunk));
    march<T, Rhs, Push, !Push, march_rows><<<grid, dim3(32, march_rows), 0, stream>>>(a, r, chunk, to);
    JACOBI_CUDA(cudaGetLastError());
}

/// Sweeps a range. Without `push` its cells may not read a neighbour's halo (an interior), with it they may.
template <class T>
void launch_march(const SweepArgs<T>& a, const Range& r, const PushTargets<T>& to, bool push, cudaStream_t stream) {
    if (r.lo[0] >= r.hi[0] || r.lo[1] >= r.hi[1] || r.lo[2] >= r.hi[2]) return;
    if (a.b != nullptr) {
        push ? launch_march<T, true, true>(a, r, to, stream) : launch_march<T, true, false>(a, r, to, stream);
    } else {
        push ? launch_march<T, false, true>(a, r, to, stream) : launch_march<T, false, false>(a, r, to, stream);
    }
}

template <class T>
void launch_boundary(const SweepArgs<T>& a, const BoundaryBoxes& boxes, const PushTargets<T>& to, int multiprocessors, cudaStream_t stream) {
    constexpr unsigned threads = 256;
    // Enough blocks a box for its packs, but no more than the device holds at once: the rest is the kernel's stride loop.
    unsigned most = 1;
    for (int i = 0; i < boxes.count; ++i) {
        const Range& r = boxes.box[i];
        const auto packs = static_cast<std::uint64_t>(blocks_for(r.hi[0] - r.lo[0], pack_cells<T>)) * (r.hi[1] - r.lo[1]) * (r.hi[2] - r.lo[2]);
        if (packs > 0x7fffffffu) throw Error("a face of more than 2^31 groups of cells does not fit the boundary kernel");
        most = std::max(most, static_cast<unsigned>(std::min<std::uint64_t>((packs + threads - 1) / threads, 8u * multiprocessors)));
    }
    const dim3 grid(boxes.count, most);
    if (a.b != nullptr) {
        boundary_kernel<T, true><<<grid, threads, 0, stream>>>(a, boxes, to);
    } else {
        boundary_kernel<T, false><<<grid, threads, 0, stream>>>(a, boxes, to);
    }
    JACOBI_CUDA(cudaGetLastError());
}

}  // namespace jacobi::cuda
