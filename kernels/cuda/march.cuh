// The sweep kernels, one sweep a pass: tiles march along z. Those that touch a neighbour store their boundary layer into its halo
// as they compute it.
#pragma once

#include "march_launch.cuh"

namespace jacobi::cuda {

/// Rows a thread: with more, fewer of their neighbours come from the L1, and fewer thread blocks fit. Measured
/// (kernels/README.md).
template <class T>
inline constexpr int march_rows = sizeof(T) == 8 ? 4 : 2;
/// Thread blocks that are to share a multiprocessor: bounds the registers.
template <class T, int Warps>
inline constexpr int march_blocks = (sizeof(T) == 8 ? 20 : 32) / Warps;
template <class T>
inline constexpr int march_width = 32 * pack_cells<T>;

/// What a kernel stores into neighbours: each kind costs registers, and they cost bytes in flight.
enum class Push {
    none,
    ends,  ///< the first and last cells of rows, across x faces
    all
};

/// Marches up a tile, a pack of each row a lane, with the packs below, at and above in registers: every cell comes from memory
/// once but for the two planes outside the tile and its rim, which the L2 holds. x neighbours come from the neighbouring lanes.
/// Plain loads: right for halos that a neighbour has stored before this block's last acquire.
template <class T, bool Rhs, int Warps, Push push>
__device__ inline void march_tile(const SweepArgs<T>& a, const MarchShape& s, const MarchTile& tile, const PushTargets<T>& to) {
    constexpr int cells = pack_cells<T>, rows = march_rows<T>;
    const int lane = static_cast<int>(threadIdx.x);
    const int x = tile.x * march_width<T> + lane * cells;
    const int y = (tile.y * Warps + static_cast<int>(threadIdx.y)) * rows;
    const int z0 = tile.z * s.chunk, z1 = min(z0 + s.chunk, s.n[2]);
    if (y >= s.n[1]) return;  // whole warps: below, lanes need each other
    const int valid = s.n[0] - x, rows_left = s.n[1] - y;
    // The lane behind the last cell loads the halo there, which its left neighbour wants. Lanes further on load anything, and a
    // warp at the end loads the row behind the block again.
    const Index first = (valid >= 0 ? x : 0) + y * a.pitch + z0 * a.plane;
    const auto row = [&](int j) { return (j <= 1 ? j : min(j, rows_left)) * a.pitch; };
    const T* u = a.u + first;
    const T* b = Rhs ? a.b + first : nullptr;
    T* __restrict__ out = a.out + first;
    RowEnds<T> ends(to, x, y, z0, valid);
    Pack<T> below[rows], centre[rows], above[rows], next[rows];
#pragma unroll
    for (int j = 0; j < rows; ++j) {
        below[j] = load_pack<false>(u + row(j) - a.plane);
        centre[j] = load_pack<false>(u + row(j));
    }
    for (int z = z0; z < z1; ++z) {
        // All loads of a plane come before its first store, which the compiler could not move them across.
#pragma unroll
        for (int j = 0; j < rows; ++j) above[j] = load_pack<false>(u + row(j) + a.plane);
        const Pack<T> before = load_pack<false>(u - a.pitch), behind = load_pack<false>(u + row(rows));
#pragma unroll
        for (int j = 0; j < rows; ++j) {
            T left = __shfl_up_sync(~0u, centre[j].v[cells - 1], 1), right = __shfl_down_sync(~0u, centre[j].v[0], 1);
            if (lane == 0) left = u[row(j) - 1];
            if (lane == 31) right = u[row(j) + cells];
            Pack<T> rhs;
            if constexpr (Rhs) rhs = load_pack<true>(b + row(j));
            next[j] =
                update_pack<Rhs>(a, left, right, j == 0 ? before : centre[j == 0 ? 0 : j - 1],
                                 j == rows - 1 ? behind : centre[j == rows - 1 ? j : j + 1], below[j], centre[j], above[j], rhs);
        }
#pragma unroll
        for (int j = 0; j < rows; ++j) {
            if (valid <= 0 || j >= rows_left) break;
            store_cells(out + row(j), next[j], valid);
            if constexpr (push != Push::none) ends.store(j, next[j]);
        }
        if constexpr (push == Push::all) {
            if (y == 0 || y + rows > to.last[1] || z == 0 || z == to.last[2]) {
                // Rare, so in a loop that costs no registers: the thread loads what it has just stored.
#pragma unroll 1
                for (int j = 0; j < rows && j < rows_left && valid > 0; ++j)
                    push_rows(to, x, y + j, z, load_pack<false>(out + j * a.pitch), valid);
            }
        }
#pragma unroll
        for (int j = 0; j < rows; ++j) {
            below[j] = centre[j];
            centre[j] = above[j];
        }
        u += a.plane;
        out += a.plane;
        if constexpr (push != Push::none) ends.next_plane();
        if constexpr (Rhs) b += a.plane;
    }
}

/// The tile of this thread block where a block is walked in its natural order. `first_row`: tiles along y that another launch
/// does.
__device__ inline MarchTile natural_tile(int first_row) {
    return {static_cast<int>(blockIdx.x), first_row + static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
}

/// All tiles but those that touch a neighbour.
template <class T, bool Rhs, int Warps>
__global__ void __launch_bounds__(32 * Warps, march_blocks<T, Warps>)
    march_others(const SweepArgs<T> a, const MarchShape s, const TouchingTiles touching, const int first_row) {
    const MarchTile tile = natural_tile(first_row);
    if (!touches(touching, tile)) march_tile<T, Rhs, Warps, Push::none>(a, s, tile, PushTargets<T>{});
}

/// Tiles with what flags ask: one that touches a neighbour awaits the generation that the state names, and when all of those are
/// done the next one is raised, while other tiles still run. `numbered`: the tiles are the first gridDim.x in the order of
/// tile_of, those that touch first, perhaps with all others behind them; else they are walked in their natural order.
template <class T, bool Rhs, int Warps, Push push>
__global__ void __launch_bounds__(32 * Warps, march_blocks<T, Warps>)
    march_pushing(const SweepArgs<T> a, const MarchShape s, const TouchingTiles touching,
                  const __grid_constant__ PushTargets<T> to, const __grid_constant__ FlagArgs flags, const bool numbered,
                  const int first_row) {
    const MarchTile tile = numbered ? tile_of(s, touching, blockIdx.x) : natural_tile(first_row);
    const unsigned thread = threadIdx.y * 32 + threadIdx.x;
    const bool flagged = flags.count > 0, with_flags = flagged && touches(touching, tile);
    Generation g = 0;
    if (with_flags) {
        g = flags.state->generation;
        if (!await_flags(flags, g, thread)) return;
    } else if (flagged && failed(flags.state) != 0) {
        return;
    }
    march_tile<T, Rhs, Warps, push>(a, s, tile, to);
    if (with_flags) raise_flags(flags, g, touching.count, thread);
}

}  // namespace jacobi::cuda
