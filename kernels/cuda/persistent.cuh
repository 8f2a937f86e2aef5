// One cooperative kernel for many passes of blocks of any size: tiles go through the L2 or memory in every pass.
#pragma once

#include "persistent_tiles.cuh"

namespace jacobi::cuda {

inline constexpr int persistent_threads = 1024;

/// A warp's share of a tile: groups of 32 packs, row by row, every `warps`-th row. Stepping costs no division.
struct WarpItems {
    int x, y, z;  ///< group within its row; row within the tile
    int groups, height, depth;
    int step_y, step_z;  ///< of `warps` rows

    __device__ WarpItems(int warp, int warps, int row_groups, int rows, int planes)
        : x(0),
          y(warp % max(1, rows)),
          z(warp / max(1, rows)),
          groups(row_groups),
          height(rows),
          depth(planes),
          step_y(warps % max(1, rows)),
          step_z(warps / max(1, rows)) {}
    __device__ bool more() const { return z < depth; }
    __device__ void next() {
        if (++x < groups) return;
        x = 0;
        y += step_y;
        z += step_z;
        if (y >= height) y -= height, ++z;
    }
};

/// Passes g, ..., g + passes - 1. All blocks must be resident (cooperative launch).
template <class T, bool Rhs>
__global__ void __launch_bounds__(persistent_threads, 1)
    persistent_kernel(const PersistentArgs<T> a, const Generation first, const Index passes) {
    constexpr int cells = pack_cells<T>;
    const int ty = static_cast<int>(blockIdx.x) % a.tiles.y, tz = static_cast<int>(blockIdx.x) / a.tiles.y;
    const int y0 = first_of(a.extent[1], ty, a.tiles.y), y1 = first_of(a.extent[1], ty + 1, a.tiles.y);
    const int z0 = first_of(a.extent[2], tz, a.tiles.z), z1 = first_of(a.extent[2], tz + 1, a.tiles.z);
    constexpr int warps = persistent_threads / 32;
    const int row_groups = (a.extent[0] + 32 * cells - 1) / (32 * cells);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    for (Generation g = first; g < first + passes; ++g) {
        if (!await_pass(a, ty, tz, g)) return;
        const SweepArgs<T>& s = a.pass[g & 1];
        const PushTargets<T>& to = a.to[(g + 1) & 1];
        // Two groups at a time, all loads before the stores, so that a warp waits for the L2 half as often. Plain loads: other
        // blocks and other GPUs write these cells while this kernel runs; the acquires above order them.
        for (WarpItems item(warp, warps, row_groups, y1 - y0, z1 - z0); item.more();) {
            Pack<T> next[2];
            int x[2], y[2], z[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                x[i] = (item.x * 32 + lane) * cells;
                y[i] = y0 + item.y;
                z[i] = z0 + item.z;
                if (!item.more() || x[i] >= a.extent[0]) x[i] = -1;
                item.next();
                if (x[i] < 0) continue;
                const Index element = x[i] + y[i] * s.pitch + z[i] * s.plane;
                const T* u = s.u + element;
                Pack<T> rhs;
                if constexpr (Rhs) rhs = load_pack<true>(s.b + element);
                const T left = x[i] == 0 ? s.beyond_x[0].at(y[i], z[i]) : u[-1];
                const T right = x[i] + cells == a.extent[0] ? s.beyond_x[1].at(y[i], z[i]) : u[cells];
                next[i] =
                    update_pack<Rhs>(s, left, right, load_pack<false>(u - s.pitch), load_pack<false>(u + s.pitch),
                                     load_pack<false>(u - s.plane), load_pack<false>(u), load_pack<false>(u + s.plane), rhs);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                if (x[i] < 0) continue;
                store_cells(s.out + x[i] + y[i] * s.pitch + z[i] * s.plane, next[i], a.extent[0] - x[i]);
                push_rows(to, x[i], y[i], z[i], next[i], a.extent[0] - x[i]);
                push_ends(to, x[i], y[i], z[i], next[i], a.extent[0] - x[i]);
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) announce_pass(a, ty, tz, g);
    }
}

}  // namespace jacobi::cuda
