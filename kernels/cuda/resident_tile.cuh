// A tile that stays on the chip: its place, its cells in shared memory, and their way from and to the field in memory.
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
    int ty, tz, y0, z0, rows, planes, nx, ny, groups;
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
    /// The face that a line lies at, and its number there (TileRims).
    __device__ int face(int number) const { return number < 2 * planes ? 2 + number % 2 : 4 + number % 2; }
    __device__ int line_of_face(int number) const { return (number < 2 * planes ? number : number - 2 * planes) / 2; }
    /// Of cell (0, r, q) of the tile from cell (0, 0, 0) of the block.
    __device__ Index element(int r, int q) const { return (y0 + r) * pitch + (z0 + q) * plane; }
};

template <class T>
__device__ inline ResidentPlace place_of_tile(const PersistentArgs<T>& a, const ResidentShape& s, int tile) {
    const int ty = tile % a.tiles.y, tz = tile / a.tiles.y, ny = a.extent[1], nz = a.extent[2];
    const int y0 = first_of(ny, ty, a.tiles.y), z0 = first_of(nz, tz, a.tiles.z);
    const int rows = first_of(ny, ty + 1, a.tiles.y) - y0, planes = first_of(nz, tz + 1, a.tiles.z) - z0;
    return {ty, tz, y0, z0, rows, planes, a.extent[0], ny, s.groups, a.pass[0].pitch, a.pass[0].plane};
}

/// Loads generation g of what lies around the tile from memory, where its neighbours have stored it: rim rows, and cells at both
/// ends of rows. Plain loads: other blocks and other GPUs write these cells while this kernel runs; the acquires of await_pass
/// order them.
template <class T>
__device__ inline void load_rim(const ResidentTile<T>& tile, const ResidentPlace& p, const T* u, int thread, int threads) {
    constexpr int at_a_time = 3;  // on their way before the first is waited for
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

}  // namespace jacobi::cuda
