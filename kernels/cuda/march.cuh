// The sweep kernels, one sweep a pass: tiles march along z. Those that touch a neighbour store their boundary layer into its halo
// as they compute it.
#pragma once

#include "march_launch.cuh"

namespace jacobi::cuda {

/// Shape of the marching kernels' thread blocks: warps; rows a thread; planes loaded at a time; and how many thread blocks are to
/// share a multiprocessor, which bounds the registers.
template <int Warps, int Rows, int Ahead, int Blocks>
struct MarchBlock {
    static constexpr int warps = Warps, rows = Rows, height = Warps * Rows, ahead = Ahead, blocks = Blocks;
};

template <class T>
inline constexpr int march_width = 32 * pack_cells<T>;

/// Marches up a tile, a pack of each row a lane, with the packs below, at and above in registers: every cell comes from memory
/// once but for the two planes outside the tile and its rim, which the L2 holds. x neighbours come from the neighbouring lanes.
/// Plain loads: right for halos that a neighbour has stored before this block's last acquire.
template <class T, bool Rhs, class Block, bool Pushes>
__device__ inline void march_tile(const SweepArgs<T>& a, const MarchShape& s, const MarchTile& tile, const PushTargets<T>& to) {
    constexpr int cells = pack_cells<T>, rows = Block::rows, ahead = Block::ahead;
    const int lane = static_cast<int>(threadIdx.x);
    const int x = tile.x * march_width<T> + lane * cells;
    const int y = (tile.y * Block::warps + static_cast<int>(threadIdx.y)) * rows;
    const int z0 = tile.z * s.chunk, z1 = min(z0 + s.chunk, s.n[2]);
    if (y >= s.n[1]) return;  // whole warps: below, lanes need each other
    const int valid = s.n[0] - x, rows_left = s.n[1] - y;
    if (rows == 1 && valid <= 0) return;
    // The lane behind the last cell loads the halo there, which its left neighbour wants unless a wall's value stands for it.
    // Lanes further on load anything, and a warp at the end loads the row behind the block again. (With a row a thread walls cost
    // more registers than their halos cost time.)
    const bool left_wall = x == a.wall_left, right_wall = x == a.wall_right;
    const Index first = (rows == 1 || valid > 0 || (valid == 0 && a.wall_right < 0) ? x : 0) + y * a.pitch + z0 * a.plane;
    const auto row = [&](int j) { return (j <= 1 ? j : min(j, rows_left)) * a.pitch; };
    const T* u = a.u + first;
    const T* b = Rhs ? a.b + first : nullptr;
    T* __restrict__ out = a.out + first;
    Pack<T> plane[ahead + 2][rows];  // z - 1, z, ..., z + ahead
#pragma unroll
    for (int j = 0; j < rows; ++j) {
        plane[0][j] = load_pack<false>(u + row(j) - a.plane);
        plane[1][j] = load_pack<false>(u + row(j));
    }
    for (int z = z0; z < z1; z += ahead) {
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (z + i >= z1) break;
#pragma unroll
            for (int j = 0; j < rows; ++j) plane[i + 2][j] = load_pack<false>(u + row(j) + (i + 1) * a.plane);
        }
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (z + i >= z1) break;
            const T* here = u + i * a.plane;
            const Pack<T>(&centre)[rows] = plane[i + 1];
            Pack<T> next[rows];
            // All loads of a plane come before its first store, which the compiler could not move them across.
            const Pack<T> before = load_pack<false>(here - a.pitch), behind = load_pack<false>(here + row(rows));
#pragma unroll
            for (int j = 0; j < rows; ++j) {
                T left, right;
                if constexpr (rows == 1) {
                    left = here[-1];
                    right = here[cells];
                } else {
                    left = __shfl_up_sync(~0u, centre[j].v[cells - 1], 1);
                    right = __shfl_down_sync(~0u, centre[j].v[0], 1);
                    if (lane == 0) left = left_wall ? a.left_value : here[row(j) - 1];
                    if (lane == 31 && !right_wall) right = here[row(j) + cells];
                    if (right_wall) right = a.right_value;
                }
                Pack<T> rhs;
                if constexpr (Rhs) rhs = load_pack<true>(b + i * a.plane + row(j));
                next[j] = update_pack<Rhs>(a, left, right, j == 0 ? before : centre[j == 0 ? 0 : j - 1],
                                           j == rows - 1 ? behind : centre[j == rows - 1 ? j : j + 1], plane[i][j], centre[j],
                                           plane[i + 2][j], rhs);
            }
#pragma unroll
            for (int j = 0; j < rows; ++j) {
                if (valid <= 0 || j >= rows_left) break;
                store_cells(out + i * a.plane + row(j), next[j], valid);
                if constexpr (Pushes) push_ends(to, x, y + j, z + i, next[j], valid);
            }
            if constexpr (Pushes) {
                if (y == 0 || y + rows > to.last[1] || z + i == 0 || z + i == to.last[2]) {
                    // Rare, so in a loop that costs no registers: the thread loads what it has just stored.
#pragma unroll 1
                    for (int j = 0; j < rows && j < rows_left && valid > 0; ++j)
                        push_rows(to, x, y + j, z + i, load_pack<false>(out + i * a.plane + j * a.pitch), valid);
                }
            }
        }
#pragma unroll
        for (int j = 0; j < rows; ++j) {
            plane[0][j] = plane[ahead][j];
            plane[1][j] = plane[ahead + 1][j];
        }
        u += ahead * a.plane;
        out += ahead * a.plane;
        if constexpr (Rhs) b += ahead * a.plane;
    }
}

/// The tile of this thread block where a box of tiles from `first` on is walked in its natural order.
__device__ inline MarchTile natural_tile(const MarchTile& first) {
    return {first.x + static_cast<int>(blockIdx.x), first.y + static_cast<int>(blockIdx.y),
            first.z + static_cast<int>(blockIdx.z)};
}

/// Tiles that do not touch a neighbour.
template <class T, bool Rhs, class Block>
__global__ void __launch_bounds__(32 * Block::warps, Block::blocks)
    march_others(const SweepArgs<T> a, const MarchShape s, const MarchTile first) {
    march_tile<T, Rhs, Block, false>(a, s, natural_tile(first), PushTargets<T>{});
}

/// Tiles with what flags ask: one that touches a neighbour awaits the generation that the state names, and when all of those are
/// done the next one is raised, while other tiles still run. `Numbered`: the tiles are the first gridDim.x in the order of
/// tile_of, those that touch first, perhaps with all others behind them; else they are walked in their natural order.
template <class T, bool Rhs, class Block, bool Numbered>
__global__ void __launch_bounds__(32 * Block::warps, Block::blocks)
    march_pushing(const SweepArgs<T> a, const MarchShape s, const TouchingTiles touching,
                  const __grid_constant__ PushTargets<T> to, const __grid_constant__ FlagArgs flags, const MarchTile first) {
    const MarchTile tile = Numbered ? tile_of(s, touching, blockIdx.x) : natural_tile(first);
    const unsigned thread = threadIdx.y * 32 + threadIdx.x;
    if (flags.count > 0) {
        if (touches(touching, tile)) {
            if (!await_flags(flags, flags.state->generation, thread)) return;
        } else if (failed(flags.state) != 0) {
            return;
        }
    }
    march_tile<T, Rhs, Block, true>(a, s, tile, to);
    // The state still names this pass's generation: it advances when the last of these tiles is done.
    if (flags.count > 0 && touches(touching, tile)) raise_flags(flags, flags.state->generation, touching.count, thread);
}

}  // namespace jacobi::cuda
