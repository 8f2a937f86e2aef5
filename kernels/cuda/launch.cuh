// Launch shapes of the sweep kernels.
#pragma once

#include <algorithm>
#include <utility>

#include "handles.hpp"
#include "sweep.cuh"

namespace jacobi::cuda {

constexpr unsigned blocks_for(int n, int unit) { return static_cast<unsigned>((n + unit - 1) / unit); }

/// Rows of a marching kernel's tile.
inline constexpr int march_rows = 8;

/// Grid and walk of the marching kernel. The figures were measured on an H200 (kernels/README.md): planes of up to about 4.5 MB
/// are walked whole, larger ones in strips of 2 MB; six planes a chunk where a plane of the strip is about 2 MB or less, else
/// four.
template <class T>
std::pair<dim3, MarchShape> march_grid(const SweepArgs<T>& a, const Range& r) {
    constexpr double megabyte = 1 << 20;
    const int tiles = static_cast<int>(blocks_for(r.hi[1] - r.lo[1], march_rows));
    const double plane = static_cast<double>(a.pitch) * (r.hi[1] - r.lo[1]) * sizeof(T) / megabyte;
    const int planes = r.hi[2] - r.lo[2];
    constexpr int most = 65535;                                     // of gridDim.z
    const int fewest = static_cast<int>(blocks_for(planes, most));  // planes a chunk that gridDim.z allows
    int strips = plane > 4.5 ? std::min(tiles, static_cast<int>(plane / 2)) : 1;
    MarchShape shape{};
    shape.chunk = std::min(planes, std::max(fewest, plane / strips <= 2.5 ? 6 : 4));
    shape.chunks = static_cast<int>(blocks_for(planes, shape.chunk));
    strips = std::clamp(strips, 1, most / shape.chunks);
    return {dim3(blocks_for(r.hi[0] - r.lo[0], 32 * pack_cells<T>), blocks_for(tiles, strips),
                 static_cast<unsigned>(shape.chunks * strips)),
            shape};
}

inline bool empty(const Range& r) { return r.lo[0] >= r.hi[0] || r.lo[1] >= r.hi[1] || r.lo[2] >= r.hi[2]; }

/// Sweeps a range. Without `push` its cells may not read a neighbour's halo (an interior), with it they may.
template <class T>
void launch_march(const SweepArgs<T>& a, const Range& r, const PushTargets<T>& to, bool push, cudaStream_t stream) {
    if (empty(r)) return;
    const auto [grid, shape] = march_grid(a, r);
    const dim3 block(32, march_rows);
    if (a.b != nullptr) {
        push ? march<T, true, true, false, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to)
             : march<T, true, false, true, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to);
    } else {
        push ? march<T, false, true, false, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to)
             : march<T, false, false, true, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to);
    }
    JACOBI_CUDA(cudaGetLastError());
}

/// Sweeps the whole block with flags.
template <class T>
void launch_flagged_march(const SweepArgs<T>& a, const Range& r, const PushTargets<T>& to, const FlagArgs& flags,
                          cudaStream_t stream) {
    const auto [grid, shape] = march_grid(a, r);
    const dim3 block(32, march_rows);
    a.b != nullptr ? flagged_march<T, true, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to, flags)
                   : flagged_march<T, false, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to, flags);
    JACOBI_CUDA(cudaGetLastError());
}

inline constexpr unsigned boundary_threads = 256;

/// Enough blocks a box for its packs, but no more than the device holds at once: the rest is the kernel's stride loop.
template <class T>
dim3 boundary_grid(const BoundaryBoxes& boxes, int multiprocessors) {
    unsigned most = 1;
    for (int i = 0; i < boxes.count; ++i) {
        const Range& r = boxes.box[i];
        const auto packs =
            static_cast<std::uint64_t>(blocks_for(r.hi[0] - r.lo[0], pack_cells<T>)) * (r.hi[1] - r.lo[1]) * (r.hi[2] - r.lo[2]);
        if (packs > 0x7fffffffu) throw Error("a face of more than 2^31 groups of cells does not fit the boundary kernel");
        const auto blocks = std::min<std::uint64_t>((packs + boundary_threads - 1) / boundary_threads, 8u * multiprocessors);
        most = std::max(most, static_cast<unsigned>(blocks));
    }
    return dim3(boxes.count, most);
}

/// Boundary boxes, with flags where `flags` is given.
template <class T>
void launch_boundary(const SweepArgs<T>& a, const BoundaryBoxes& boxes, const PushTargets<T>& to, const FlagArgs* flags,
                     int multiprocessors, cudaStream_t stream) {
    const dim3 grid = boundary_grid<T>(boxes, multiprocessors);
    if (a.b != nullptr) {
        flags != nullptr ? flagged_boundary<T, true><<<grid, boundary_threads, 0, stream>>>(a, boxes, to, *flags)
                         : boundary_kernel<T, true><<<grid, boundary_threads, 0, stream>>>(a, boxes, to);
    } else {
        flags != nullptr ? flagged_boundary<T, false><<<grid, boundary_threads, 0, stream>>>(a, boxes, to, *flags)
                         : boundary_kernel<T, false><<<grid, boundary_threads, 0, stream>>>(a, boxes, to);
    }
    JACOBI_CUDA(cudaGetLastError());
}

}  // namespace jacobi::cuda
