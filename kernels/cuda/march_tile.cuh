// What a thread block of the sweep kernels does with its tile.
#pragma once

#include "march_plan.hpp"
#include "push_faces.cuh"
#include "sweep.cuh"

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
/// once but for the two planes outside the tile and its rim, which the L2 holds. x neighbours come from the neighbouring lanes;
/// the lanes at both ends of a warp load theirs, early, together with the planes. Plain loads: right for halos that a neighbour
/// has stored before this block's last acquire, or that of a kernel in front of this one. `pushes`: cells at faces with a
/// neighbour are stored into its halo.
template <class T, bool Rhs, class Block, bool pushes>
__device__ inline void march_tile(const SweepArgs<T>& a, const MarchShape& s, const MarchTile& tile, const PushTargets<T>& to) {
    constexpr int cells = pack_cells<T>, rows = Block::rows, ahead = Block::ahead;
    const int lane = static_cast<int>(threadIdx.x);
    const int x = tile.x * march_width<T> + lane * cells;
    const int y = (tile.y * Block::warps + static_cast<int>(threadIdx.y)) * rows;
    const int z0 = tile.z * s.chunk, z1 = min(z0 + s.chunk, s.n[2]);
    if (y >= s.n[1]) return;  // whole warps: below, lanes need each other
    const int valid = s.n[0] - x, rows_left = s.n[1] - y;
    // Lanes behind the row load anything; but where lane 0 has the row's last cells, lane 1 loads the halo behind them, which
    // lies in place then (FieldLayout::apart). A warp at the end loads the row behind the block again.
    const Index first = (valid > 0 || (valid == 0 && lane == 1) ? x : 0) + y * a.pitch + z0 * a.plane;
    const auto row = [&](int j) { return (j <= 1 ? j : min(j, rows_left)) * a.pitch; };
    const T* u = a.u + first;
    const T* b = Rhs ? a.b + first : nullptr;
    T* __restrict__ out = a.out + first;
    // Lane 0 has a left neighbour in no other lane; lane 31, or the one with the row's last pack, a right one. (A row's last cell
    // that is not its pack's last has its right neighbour in the pack.)
    const bool left_end = lane == 0, at_face = left_end ? x == 0 : valid == cells;
    const bool at_end = left_end || at_face || (lane == 31 && valid > cells);
    const int side = at_face ? (left_end ? 0 : 1) : 2;
    const T* beyond =
        at_face ? a.beyond_x[side].first + y * a.beyond_x[side].pitch + z0 * a.beyond_x[side].plane : u + (left_end ? -1 : cells);
    const auto beyond_at = [&](int j, int i) { return beyond + j * a.beyond_x[side].pitch + i * a.beyond_x[side].plane; };
    Pack<T> plane[ahead + 2][rows];  // z - 1, z, ..., z + ahead
#pragma unroll
    for (int j = 0; j < rows; ++j) {
        plane[0][j] = load_pack<false>(u + row(j) - a.plane);
        plane[1][j] = load_pack<false>(u + row(j));
    }
    for (int z = z0; z < z1; z += ahead) {
        T end_cell[ahead][rows];
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (z + i >= z1) break;
#pragma unroll
            for (int j = 0; j < rows; ++j) {
                plane[i + 2][j] = load_pack<false>(u + row(j) + (i + 1) * a.plane);
                if (at_end) end_cell[i][j] = *beyond_at(min(j, rows_left - 1), i);
            }
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
                T left = __shfl_up_sync(~0u, centre[j].v[cells - 1], 1);
                T right = __shfl_down_sync(~0u, centre[j].v[0], 1);
                if (at_end) {
                    left = left_end ? end_cell[i][j] : left;
                    right = left_end ? right : end_cell[i][j];
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
                if constexpr (pushes) push_ends(to, x, y + j, z + i, next[j], valid);
            }
            if constexpr (pushes) {
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
        beyond = beyond_at(0, ahead);
        if constexpr (Rhs) b += ahead * a.plane;
    }
}

}  // namespace jacobi::cuda
