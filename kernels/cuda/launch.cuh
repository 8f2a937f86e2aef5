// Launch shapes of the sweep kernels.
#pragma once

#include <algorithm>
#include <vector>

#include "handles.hpp"
#include "sweep.cuh"

namespace jacobi::cuda {

constexpr unsigned blocks_for(int n, int unit) { return static_cast<unsigned>((n + unit - 1) / unit); }

/// Rows of a marching kernel's tile.
inline constexpr int march_rows = 8;

/// Walk of the marching kernel. The figures were measured on an H200 (kernels/README.md): planes of up to about 4.5 MB
/// are walked whole, larger ones in strips of 2 MB; six planes a chunk where a plane of the strip is about 2 MB or less, else
/// four.
template <class T>
MarchShape march_shape(Index pitch, const Range& r) {
    constexpr double megabyte = 1 << 20;
    const int tiles = static_cast<int>(blocks_for(r.hi[1] - r.lo[1], march_rows));
    const double plane = static_cast<double>(pitch) * (r.hi[1] - r.lo[1]) * sizeof(T) / megabyte;
    const int planes = r.hi[2] - r.lo[2];
    constexpr int most = 65535;                                     // of gridDim.z
    const int fewest = static_cast<int>(blocks_for(planes, most));  // planes a chunk that gridDim.z allows
    int strips = plane > 4.5 ? std::min(tiles, static_cast<int>(plane / 2)) : 1;
    MarchShape shape{};
    shape.chunk = std::min(planes, std::max(fewest, plane / strips <= 2.5 ? 6 : 4));
    shape.chunks = static_cast<int>(blocks_for(planes, shape.chunk));
    shape.strips = std::clamp(strips, 1, most / shape.chunks);
    shape.strip_tiles = static_cast<int>(blocks_for(tiles, shape.strips));
    shape.x_tiles = static_cast<int>(blocks_for(r.hi[0] - r.lo[0], 32 * pack_cells<T>));
    return shape;
}

/// The tiles of a whole block in the order of a flagged pass: first those with cells on a connected face, which wait and are
/// waited for. Returns their number.
template <class T>
std::size_t order_tiles(const MarchShape& shape, const Range& all, const PushTargets<T>& to, std::vector<unsigned>& order) {
    std::vector<unsigned> rest;
    order.clear();
    for (unsigned tile = 0; tile < static_cast<unsigned>(shape.tiles()); ++tile) {
        const int x = tile % shape.x_tiles, y = tile / shape.x_tiles % shape.strip_tiles,
                  z = tile / shape.x_tiles / shape.strip_tiles;
        const int lo[3] = {x * 32 * pack_cells<T>, (z / shape.chunks * shape.strip_tiles + y) * march_rows,
                           z % shape.chunks * shape.chunk};
        const int size[3] = {32 * pack_cells<T>, march_rows, shape.chunk};
        bool touches = false;
        for (int f = 0; f < face_count; ++f) {
            const int axis = f / 2;
            if (to.origin[f] != nullptr) touches |= f % 2 == 0 ? lo[axis] == 0 : lo[axis] + size[axis] >= all.hi[axis];
        }
        (touches ? order : rest).push_back(tile);
    }
    const std::size_t waiting = order.size();
    order.insert(order.end(), rest.begin(), rest.end());
    return waiting;
}

inline bool empty(const Range& r) { return r.lo[0] >= r.hi[0] || r.lo[1] >= r.hi[1] || r.lo[2] >= r.hi[2]; }

/// Sweeps a range. Without `push` its cells may not read a neighbour's halo (an interior), with it they may.
template <class T>
void launch_march(const SweepArgs<T>& a, const Range& r, const PushTargets<T>& to, bool push, cudaStream_t stream) {
    if (empty(r)) return;
    const MarchShape shape = march_shape<T>(a.pitch, r);
    const dim3 grid(shape.x_tiles, shape.strip_tiles, shape.chunks * shape.strips), block(32, march_rows);
    if (a.b != nullptr) {
        push ? march<T, true, true, false, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to)
             : march<T, true, false, true, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to);
    } else {
        push ? march<T, false, true, false, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to)
             : march<T, false, false, true, march_rows><<<grid, block, 0, stream>>>(a, r, shape, to);
    }
    JACOBI_CUDA(cudaGetLastError());
}

/// Sweeps the whole block with flags: see flagged_march.
template <class T>
void launch_flagged_march(const SweepArgs<T>& a, const Range& all, const MarchShape& shape, const PushTargets<T>& to,
                          const FlagArgs& flags, const unsigned* order, unsigned waiting, cudaStream_t stream) {
    const dim3 block(32, march_rows);
    a.b != nullptr
        ? flagged_march<T, true, march_rows><<<shape.tiles(), block, 0, stream>>>(a, all, shape, to, flags, order, waiting)
        : flagged_march<T, false, march_rows><<<shape.tiles(), block, 0, stream>>>(a, all, shape, to, flags, order, waiting);
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
