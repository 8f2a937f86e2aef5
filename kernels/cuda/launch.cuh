// Launch shapes of the sweep kernels of one sweep a pass.
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

/// The tiles of a whole block, first those that touch a neighbour. Returns the number of those.
inline unsigned order_tiles(const MarchShape& shape, const Range& all, unsigned connected, std::vector<unsigned>& order) {
    std::vector<unsigned> rest;
    order.clear();
    for (unsigned tile = 0; tile < static_cast<unsigned>(shape.tiles()); ++tile) {
        const int x = tile % shape.x_tiles, y = tile / shape.x_tiles % shape.strip_tiles,
                  z = tile / shape.x_tiles / shape.strip_tiles;
        (touches(shape, all, connected, march_rows, x, y, z) ? order : rest).push_back(tile);
    }
    const std::size_t touching = order.size();
    order.insert(order.end(), rest.begin(), rest.end());
    return static_cast<unsigned>(touching);
}

/// Sweeps a block, without the tiles that touch a connected face.
template <class T>
void launch_march(const SweepArgs<T>& a, const Range& all, const MarchShape& shape, unsigned connected, cudaStream_t stream) {
    const dim3 grid(shape.x_tiles, shape.strip_tiles, shape.chunks * shape.strips), block(32, march_rows);
    a.b != nullptr ? march<T, true, march_rows><<<grid, block, 0, stream>>>(a, all, shape, connected)
                   : march<T, false, march_rows><<<grid, block, 0, stream>>>(a, all, shape, connected);
    JACOBI_CUDA(cudaGetLastError());
}

/// Sweeps `count` tiles of a list, of which the first `touching` touch a neighbour: see march_list.
template <class T>
void launch_march_list(const SweepArgs<T>& a, const Range& all, const MarchShape& shape, const PushTargets<T>& to,
                       const FlagArgs& flags, const unsigned* list, unsigned count, unsigned touching, cudaStream_t stream) {
    if (count == 0) return;
    const dim3 block(32, march_rows);
    a.b != nullptr ? march_list<T, true, march_rows><<<count, block, 0, stream>>>(a, all, shape, to, flags, list, touching)
                   : march_list<T, false, march_rows><<<count, block, 0, stream>>>(a, all, shape, to, flags, list, touching);
    JACOBI_CUDA(cudaGetLastError());
}

}  // namespace jacobi::cuda
