// One cooperative kernel for many passes of blocks that fit on the chip: tiles stay in registers and shared memory, and only
// their rims, halos and flags move.
#pragma once

#include "persistent_tiles.cuh"

namespace jacobi::cuda {

/// A tile in shared memory with a layer of neighbours around it: row r of plane q, from -1 to rows and planes.
template <class T>
struct ResidentTile {
    Pack<T>* memory;
    int pitch, plane;  ///< in packs

    __device__ ResidentTile(std::byte* shared, const ResidentShape& s)
        : memory(reinterpret_cast<Pack<T>*>(shared)), pitch(s.pitch()), plane(s.pitch() * (s.rows + 2)) {}
    __device__ Pack<T>* row(int r, int q) const { return memory + (q + 1) * plane + (r + 1) * pitch + 1; }
    __device__ T* cells(int r, int q) const { return row(r, q)->v; }
};

/// A tile's place in the block, and the rows at its rim.
struct ResidentPlace {
    int y0, z0, rows, planes, nx, groups;
    Index pitch, plane;

    /// Rim rows: those before and behind in each plane, then those below and above in each row, here `outside` rows off the tile
    /// (1: the neighbours' cells, 0: its own).
    __device__ int lines() const { return 2 * (rows + planes); }
    __device__ void line(int number, int outside, int& r, int& q) const {
        const bool along_y = number < 2 * planes;
        if (!along_y) number -= 2 * planes;
        const int other = number / 2, end = number % 2 == 0 ? -outside : (along_y ? rows : planes) - 1 + outside;
        r = along_y ? end : other;
        q = along_y ? other : end;
    }
    /// Of cell (0, r, q) of the tile from cell (0, 0, 0) of the block.
    __device__ Index element(int r, int q) const { return (y0 + r) * pitch + (z0 + q) * plane; }
};

/// Loads generation g of what lies around the tile from memory, where its neighbours have stored it: rim rows, and cells at both
/// ends of rows. Plain loads: other blocks and other GPUs write these cells while this kernel runs; the acquires of await_pass
/// order them.
template <class T>
__device__ inline void load_rim(const ResidentTile<T>& tile, const ResidentPlace& p, const T* u, int thread, int threads) {
    constexpr int at_a_time = 3;  // enough for 128 x 16 x 8 cells: all loads are on their way before the first is waited for
    const int lane = thread % 32, warps = threads / 32, count = p.lines() * p.groups;
    const int end = thread % 2 == 0 ? -1 : p.nx, end_line = thread / 2, end_lines = p.rows * p.planes;
    T end_value{};
    if (end_line < end_lines) end_value = u[end + p.element(end_line % p.rows, end_line / p.rows)];
    for (int first = thread / 32; first < count; first += at_a_time * warps) {
        Pack<T> value[at_a_time];
#pragma unroll
        for (int i = 0; i < at_a_time; ++i) {
            const int item = first + i * warps, x = (item % p.groups * 32 + lane) * pack_cells<T>;
            int r, q;
            p.line(item / p.groups, 1, r, q);
            if (item < count && x < p.nx) value[i] = load_pack<false>(u + x + p.element(r, q));
        }
#pragma unroll
        for (int i = 0; i < at_a_time; ++i) {
            const int item = first + i * warps, pack = item % p.groups * 32 + lane;
            int r, q;
            p.line(item / p.groups, 1, r, q);
            if (item < count && pack * pack_cells<T> < p.nx) tile.row(r, q)[pack] = value[i];
        }
    }
    if (end_line < end_lines) tile.cells(end_line % p.rows, end_line / p.rows)[end] = end_value;
    for (int item = thread + threads; item < 2 * end_lines; item += threads) {
        const int x = item % 2 == 0 ? -1 : p.nx, r = item / 2 % p.rows, q = item / 2 / p.rows;
        tile.cells(r, q)[x] = u[x + p.element(r, q)];
    }
}

/// Stores what other tiles and other ranks read of generation g + 1: the tile's own rim rows, and into neighbours.
template <class T>
__device__ inline void store_rim(const ResidentTile<T>& tile, const ResidentPlace& p, T* out, const PushTargets<T>& to,
                                 int thread, int threads) {
    const int lane = thread % 32, warps = threads / 32, count = p.lines() * p.groups;
    for (int item = thread / 32; item < count; item += warps) {
        const int pack = item % p.groups * 32 + lane, x = pack * pack_cells<T>, valid = p.nx - x;
        if (valid <= 0) continue;
        int r, q;
        p.line(item / p.groups, 0, r, q);
        const Pack<T> value = tile.row(r, q)[pack];
        store_cells(out + x + p.element(r, q), value, valid);
        push_rows(to, x, p.y0 + r, p.z0 + q, value, valid);
    }
    if (to.connected % 4 == 0) return;
    for (int item = thread; item < 2 * p.rows * p.planes; item += threads) {
        const int f = item % 2, r = item / 2 % p.rows, q = item / 2 / p.rows, x = f == 0 ? 0 : p.nx - 1;
        if ((to.connected >> f & 1u) != 0)
            to.origin[f][x + (p.y0 + r) * to.pitch[f] + (p.z0 + q) * to.plane[f]] = tile.cells(r, q)[x];
    }
}

/// Passes first, ..., first + passes - 1. All blocks must be resident (cooperative launch).
template <class T, bool Rhs>
__global__ void __launch_bounds__(1024, 1) resident_kernel(const __grid_constant__ PersistentArgs<T> a, const ResidentShape s,
                                                           const Generation first, const Index passes) {
    extern __shared__ __align__(128) std::byte shared_memory[];
    constexpr int cells = pack_cells<T>;
    const ResidentTile<T> tile(shared_memory, s);
    const int ty = static_cast<int>(blockIdx.x) % a.tiles.y, tz = static_cast<int>(blockIdx.x) / a.tiles.y;
    const int y0 = a.extent[1] * ty / a.tiles.y, rows = a.extent[1] * (ty + 1) / a.tiles.y - y0;
    const int z0 = a.extent[2] * tz / a.tiles.z, planes = a.extent[2] * (tz + 1) / a.tiles.z - z0;
    const int nx = a.extent[0], steps = s.planes_a_warp();
    const ResidentPlace place{y0, z0, rows, planes, nx, s.groups, a.pass[0].pitch, a.pass[0].plane};
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int lane = thread % 32, warp = thread / 32;
    const int pack = warp % s.groups * 32 + lane, r = warp / s.groups % s.rows, q0 = warp / s.groups / s.rows * steps;
    const int x = pack * cells, valid = nx - x;
    const int mine = r < rows ? max(0, min(steps, planes - q0)) : 0;  // planes of this warp
    const Index here = (valid > 0 ? x : 0) + place.element(r, q0);    // of this thread's first pack
    const bool at_end = lane == 31 || valid <= cells;                 // the cell to the right is in no other lane
    Pack<T>* const own = tile.row(r, q0) + pack;

    for (int k = 0; k < mine && valid > 0; ++k)
        store_cells(own[k * tile.plane].v, load_pack<false>(a.pass[first & 1].u + here + k * place.plane), valid);

    for (Generation g = first; g < first + passes; ++g) {
        const SweepArgs<T>& args = a.pass[g & 1];
        if (!await_pass(a, ty, tz, g)) return;
        load_rim(tile, place, args.u, thread, threads);
        __syncthreads();  // the rim, and what the warps stored of their own
        // Plane by plane, in place. The planes at both ends of this warp's march are other warps', which will overwrite them.
        Pack<T> below{}, centre{}, last{};
        if (mine > 0 && valid > 0) {
            below = own[-tile.plane];
            centre = own[0];
            last = own[mine * tile.plane];
        }
        for (int k = 0; k < steps; ++k) {
            Pack<T>* const at = own + k * tile.plane;
            Pack<T> next{};
            if (k < mine) {  // whole warps
                T left = __shfl_up_sync(~0u, centre.v[cells - 1], 1), right = __shfl_down_sync(~0u, centre.v[0], 1);
                if (valid > 0) {
                    if (lane == 0) left = at->v[-1];
                    if (at_end) right = at->v[cells];
                    if (valid < cells) {
#pragma unroll
                        for (int i = 1; i < cells; ++i) {
                            if (i == valid) centre.v[i] = at->v[i];  // the halo cell is inside the last pack
                        }
                    }
                    const Pack<T> above = k + 1 < mine ? at[tile.plane] : last;
                    Pack<T> rhs;
                    if constexpr (Rhs) rhs = load_pack<true>(args.b + here + k * place.plane);
                    next = update_pack<Rhs>(args, left, right, at[-tile.pitch], at[tile.pitch], below, centre, above, rhs);
                    below = centre;
                    centre = above;
                }
            }
            __syncthreads();  // everybody has read these planes: the next generation takes their place
            if (k < mine && valid > 0) store_cells(at->v, next, valid);
        }
        __syncthreads();
        store_rim(tile, place, args.out, a.to[(g + 1) & 1], thread, threads);
        __syncthreads();
        if (thread == 0) announce_pass(a, ty, tz, g);  // all rims are stored and all halos read
    }
    // The generation that later kernels read. The rims are there already.
    T* out = a.pass[(first + passes - 1) & 1].out;
    for (int k = 0; k < mine && valid > 0; ++k) store_cells(out + here + k * place.plane, own[k * tile.plane], valid);
}

}  // namespace jacobi::cuda
