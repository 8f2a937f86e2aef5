// The sweep kernels, one sweep a pass: tiles march along z. Those that touch a neighbour store their boundary layer into its halo
// as they compute it.
#pragma once

#include "backend.hpp"
#include "flags.cuh"
#include "pack.cuh"

namespace jacobi::cuda {

/// Part of the kernels' arguments that never changes during a run but for the two buffers. Pointers address cell (0, 0, 0).
template <class T>
struct SweepArgs {
    const T* u;  ///< generation g
    T* out;      ///< generation g + 1
    const T* b;  ///< right-hand side over diag, strides of the field; null: none
    Index pitch, plane;
    T cx, cy, cz, diag;
};

/// The neighbours' halos for generation g + 1: HaloTarget with its parity resolved; null: no neighbour.
template <class T>
struct PushTargets {
    T* origin[face_count];
    Index pitch[face_count];
    Index plane[face_count];
    int last[3];  ///< extent - 1 per axis: the layer of the + faces
};

/// Half-open range of cells of the block; lo[0] is a multiple of the pack.
struct Range {
    int lo[3], hi[3];
};

template <class T>
__device__ inline void store_cells(T* p, const Pack<T>& value, int valid) {
    if (valid >= pack_cells<T>) {
        *reinterpret_cast<Pack<T>*>(p) = value;
    } else {
#pragma unroll
        for (int i = 0; i < pack_cells<T>; ++i) {
            if (i < valid) p[i] = value.v[i];
        }
    }
}

/// Stores the updated cells x, ..., x + valid - 1 of row (y, z) into every neighbour whose halo mirrors them.
template <class T>
__device__ inline void push_cells(const PushTargets<T>& to, int x, int y, int z, const Pack<T>& value, int valid) {
    const auto at = [&](int f) { return to.origin[f] + x + y * to.pitch[f] + z * to.plane[f]; };
    if (to.origin[0] != nullptr && x == 0) *at(0) = value.v[0];
    if (to.origin[1] != nullptr && x <= to.last[0] && to.last[0] < x + valid) {
#pragma unroll
        for (int i = 0; i < pack_cells<T>; ++i) {
            if (x + i == to.last[0]) at(1)[i] = value.v[i];
        }
    }
    if (to.origin[2] != nullptr && y == 0) store_cells(at(2), value, valid);
    if (to.origin[3] != nullptr && y == to.last[1]) store_cells(at(3), value, valid);
    if (to.origin[4] != nullptr && z == 0) store_cells(at(4), value, valid);
    if (to.origin[5] != nullptr && z == to.last[2]) store_cells(at(5), value, valid);
}

/// The update of a pack whose cell (x, y, z) is at u (kernels/stencil.hpp), given the packs below, at and above it.
template <bool ReadOnly, bool Rhs, class T>
__device__ inline Pack<T> update_pack(const SweepArgs<T>& a, const T* u, const T* b, const Pack<T>& zm, const Pack<T>& centre,
                                      const Pack<T>& zp) {
    const Pack<T> ym = load_pack<ReadOnly>(u - a.pitch);
    const Pack<T> yp = load_pack<ReadOnly>(u + a.pitch);
    const T left = load<ReadOnly>(u - 1);
    const T right = load<ReadOnly>(u + pack_cells<T>);
    Pack<T> rhs;
    if constexpr (Rhs) rhs = load_pack<true>(b);
    Pack<T> next;
#pragma unroll
    for (int i = 0; i < pack_cells<T>; ++i) {
        const T xm = i == 0 ? left : centre.v[i == 0 ? 0 : i - 1];
        const T xp = i == pack_cells<T> - 1 ? right : centre.v[i == pack_cells<T> - 1 ? i : i + 1];
        T sum;
        if constexpr (Rhs) {
            sum = x_part(a.cx, xm, xp, rhs.v[i]);
        } else {
            sum = x_part(a.cx, xm, xp);
        }
        next.v[i] = yz_part(a.cy, a.cz, sum, ym.v[i], yp.v[i], zm.v[i], zp.v[i]);
    }
    return next;
}

/// How the marching kernel walks a range: chunks of planes, inside strips of rows. Blocks start in the order x, rows of a strip,
/// chunks, strips: what is in flight at a time is a few neighbouring planes of one strip, so memory sees few distant streams, and
/// the planes that two chunks share are still in the L2 when the second comes.
struct MarchShape {
    int chunk;        ///< planes a block marches
    int chunks;       ///< chunks of the range
    int x_tiles;      ///< tiles along x
    int strip_tiles;  ///< tiles of a strip
    int strips;
    int tiles() const { return x_tiles * strip_tiles * chunks * strips; }
};

/// Marches up a chunk of planes with the packs below, at and above in registers: every cell comes from memory once but for the
/// chunk's two outer planes and the tile's rim, which the L2 holds. One thread a pack; blockDim (32, Rows), gridDim (x tiles,
/// tiles of a strip, chunks * strips). Two planes are loaded at a time, to have more bytes in flight.
template <class T, bool Rhs, bool Push, bool ReadOnly, int Rows>
__device__ inline void march_tile(const SweepArgs<T>& a, const Range& r, const MarchShape& shape, const PushTargets<T>& to,
                                  const unsigned tile_x, const unsigned tile_y, const unsigned tile_z) {
    constexpr int cells = pack_cells<T>;
    const int strip = static_cast<int>(tile_z) / shape.chunks;
    const int x = r.lo[0] + static_cast<int>(tile_x * 32 + threadIdx.x) * cells;
    const int y = r.lo[1] + (strip * shape.strip_tiles + static_cast<int>(tile_y)) * Rows + static_cast<int>(threadIdx.y);
    const int z0 = r.lo[2] + static_cast<int>(tile_z) % shape.chunks * shape.chunk;
    const int z1 = min(z0 + shape.chunk, r.hi[2]);
    if (x >= r.hi[0] || y >= r.hi[1]) return;
    const int valid = r.hi[0] - x;  // cells of this pack inside the range, if less than a pack
    const Index first = x + y * a.pitch + z0 * a.plane;
    const T* u = a.u + first;
    const T* b = Rhs ? a.b + first : nullptr;
    T* __restrict__ out = a.out + first;
    Pack<T> zm = load_pack<ReadOnly>(u - a.plane);
    Pack<T> centre = load_pack<ReadOnly>(u);
    for (int z = z0; z < z1; z += 2) {
        Pack<T> above[2];
        above[0] = load_pack<ReadOnly>(u + a.plane);
        if (z + 1 < z1) above[1] = load_pack<ReadOnly>(u + 2 * a.plane);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if (z + i >= z1) break;
            const Pack<T> next = update_pack<ReadOnly, Rhs>(a, u, b, zm, centre, above[i]);
            store_cells(out, next, valid);
            if constexpr (Push) push_cells(to, x, y, z + i, next, valid);
            zm = centre;
            centre = above[i];
            u += a.plane;
            out += a.plane;
            if constexpr (Rhs) b += a.plane;
        }
    }
}

/// Has the tile cells next to a face with a neighbour (`connected`, a bit a face)? Such tiles read halos and are stored into
/// others.
__host__ __device__ inline bool touches(const MarchShape& shape, const Range& all, unsigned connected, int tile_height, int x,
                                        int y, int z) {
    const int row = (z / shape.chunks * shape.strip_tiles + y) * tile_height, chunk = z % shape.chunks;
    return ((connected & 1u) != 0 && x == 0) || ((connected & 2u) != 0 && x == shape.x_tiles - 1) ||
           ((connected & 4u) != 0 && row == 0) || ((connected & 8u) != 0 && row + tile_height >= all.hi[1]) ||
           ((connected & 16u) != 0 && chunk == 0) || ((connected & 32u) != 0 && chunk == shape.chunks - 1);
}

/// All tiles of a block but those that touch a neighbour.
template <class T, bool Rhs, int Rows>
__global__ void __launch_bounds__(32 * Rows)
    march(const SweepArgs<T> a, const Range all, const MarchShape shape, const unsigned connected) {
    if (connected != 0 && touches(shape, all, connected, Rows, blockIdx.x, blockIdx.y, blockIdx.z)) return;
    march_tile<T, Rhs, false, true, Rows>(a, all, shape, PushTargets<T>{}, blockIdx.x, blockIdx.y, blockIdx.z);
}

/// The tiles of a list. The first `touching` of it touch a neighbour: with flags only they await the generation that the state
/// names, and when they are done the next is raised, while the other tiles still run.
template <class T, bool Rhs, int Rows>
__global__ void __launch_bounds__(32 * Rows)
    march_list(const SweepArgs<T> a, const Range all, const MarchShape shape, const PushTargets<T> to, const FlagArgs flags,
               const unsigned* list, const unsigned touching) {
    const unsigned tile = list[blockIdx.x];
    const unsigned x = tile % shape.x_tiles, y = tile / shape.x_tiles % shape.strip_tiles,
                   z = tile / shape.x_tiles / shape.strip_tiles;
    const bool flagged = flags.count > 0;
    if (blockIdx.x >= touching) {
        if (!flagged || failed(flags.state) == 0) march_tile<T, Rhs, false, true, Rows>(a, all, shape, to, x, y, z);
        return;
    }
    const unsigned thread = threadIdx.y * 32 + threadIdx.x;
    Generation g = 0;
    if (flagged) {
        g = flags.state->generation;
        if (!await_flags(flags, g, thread)) return;
    }
    // No read-only loads here: these cells' neighbours are halos.
    march_tile<T, Rhs, true, false, Rows>(a, all, shape, to, x, y, z);
    if (flagged) raise_flags(flags, g, touching, thread);
}

/// A wait of its own, one block, for kernels enqueued behind it. Negative g: the generation that the state names.
static __global__ void await_kernel(const FlagArgs flags, Generation g) {
    (void)await_flags(flags, g < 0 ? flags.state->generation : g, threadIdx.x);
}

}  // namespace jacobi::cuda
