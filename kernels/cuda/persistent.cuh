// One cooperative kernel for many passes: blocks own tiles of rows and planes and wait for each other, and for the neighbours'
// GPUs, only where they share cells.
#pragma once

#include "sweep.cuh"

namespace jacobi::cuda {

inline constexpr int persistent_threads = 1024;

template <class T>
struct PersistentArgs {
    SweepArgs<T> pass[2];  ///< by parity of the generation that is read
    PushTargets<T> to[2];  ///< by parity of the generation that is written
    int extent[3];
    TileGrid tiles;         ///< tile (ty, tz) is block ty + y tz
    Generation* tile_done;  ///< generation that each tile of this rank has completed, a word a line
    // By face, null without a neighbour: words that the neighbour's tiles raise here, and those that this rank's raise there.
    const Generation* own_tiles[face_count];
    Generation* there_tiles[face_count];
    bool remote[face_count];  ///< another rank's, perhaps another GPU's
    FlagArgs flags;           ///< for its time limit and failure state
};

/// Does tile (ty, tz) have cells on face f?
__device__ inline bool at_face(const TileGrid& tiles, int f, int ty, int tz) {
    switch (f) {
        case 2: return ty == 0;
        case 3: return ty == tiles.y - 1;
        case 4: return tz == 0;
        case 5: return tz == tiles.z - 1;
        default: return true;  // tiles hold whole rows
    }
}

/// The word of tile (ty, tz), or of the tile that it meets across face f.
__device__ inline int word_of(const TileGrid& tiles, int ty, int tz) { return (ty + tiles.y * tz) * TileGrid::words_per_tile; }
__device__ inline int word_across(const TileGrid& tiles, int f, int ty, int tz) {
    switch (f) {
        case 2: return word_of(tiles, tiles.y - 1, tz);
        case 3: return word_of(tiles, 0, tz);
        case 4: return word_of(tiles, ty, tiles.z - 1);
        case 5: return word_of(tiles, ty, 0);
        default: return word_of(tiles, ty, tz);
    }
}

/// Before a tile's pass g: each tile it shares a face with, this rank's and the neighbours', must have completed generation g. It
/// has then written what this tile reads, and read what this tile is about to overwrite (generation g - 1 is in the same buffer).
/// A seven-point stencil reads no other tile, and a tile's halo cells are read by no other. One thread a condition; the block
/// barrier extends the acquires to all threads.
template <class T>
__device__ inline bool await_pass(const PersistentArgs<T>& a, int ty, int tz, Generation g) {
    const int thread = static_cast<int>(threadIdx.x);
    bool ok = true;
    if (thread < 4) {
        const int y = ty + (thread == 0 ? -1 : thread == 1 ? 1 : 0), z = tz + (thread == 2 ? -1 : thread == 3 ? 1 : 0);
        if (y >= 0 && y < a.tiles.y && z >= 0 && z < a.tiles.z) {
            const Generation* word = a.tile_done + word_of(a.tiles, y, z);
            ok = await_word(a.flags, Direction{}.code, g, [word] {
                Generation value;
                asm volatile("ld.acquire.gpu.global.s64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
                return value;
            });
        }
    } else if (thread < 4 + face_count) {
        const int f = thread - 4;
        if (a.own_tiles[f] != nullptr && at_face(a.tiles, f, ty, tz)) {
            const Generation* word = a.own_tiles[f] + word_of(a.tiles, ty, tz);
            ok = await_word(a.flags, Direction::face(f).code, g, [word] { return load_acquire_system(word); });
        }
    }
    return __syncthreads_and(ok) != 0;
}

/// After a tile's pass g: its accesses, the block barrier, one fence, then stores of g + 1 into the tile's own word and those of
/// the tiles across the faces it touches. All by one thread: a fence followed by its own stores is a release of everything the
/// barrier ordered before it. Device scope reaches this rank's tiles, system scope everybody; the latter costs more and is taken
/// where a neighbour needs it.
template <class T>
__device__ inline void announce_pass(const PersistentArgs<T>& a, int ty, int tz, Generation g) {
    __syncthreads();
    if (threadIdx.x != 0) return;
    bool system = false;
    for (int f = 0; f < face_count; ++f) system |= a.remote[f] && at_face(a.tiles, f, ty, tz);
    if (system) {
        asm volatile("fence.acq_rel.sys;" ::: "memory");
    } else {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    const auto store = [g](Generation* word) {
        asm volatile("st.relaxed.sys.global.s64 [%0], %1;" ::"l"(word), "l"(g + 1) : "memory");
    };
    store(a.tile_done + word_of(a.tiles, ty, tz));
    for (int f = 0; f < face_count; ++f) {
        if (a.there_tiles[f] != nullptr && at_face(a.tiles, f, ty, tz)) store(a.there_tiles[f] + word_across(a.tiles, f, ty, tz));
    }
}

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
    const int y0 = a.extent[1] * ty / a.tiles.y, y1 = a.extent[1] * (ty + 1) / a.tiles.y;
    const int z0 = a.extent[2] * tz / a.tiles.z, z1 = a.extent[2] * (tz + 1) / a.tiles.z;
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
                next[i] = update_pack<false, Rhs>(s, u, Rhs ? s.b + element : nullptr, load_pack<false>(u - s.plane),
                                                  load_pack<false>(u), load_pack<false>(u + s.plane));
            }
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                if (x[i] < 0) continue;
                store_cells(s.out + x[i] + y[i] * s.pitch + z[i] * s.plane, next[i], a.extent[0] - x[i]);
                push_cells(to, x[i], y[i], z[i], next[i], a.extent[0] - x[i]);
            }
        }
        announce_pass(a, ty, tz, g);
    }
}

/// A wait of its own, one block, for kernels enqueued behind it: every tile across every face has completed generation g.
template <class T>
__global__ void await_tiles_kernel(const PersistentArgs<T> a, Generation g) {
    for (int i = static_cast<int>(threadIdx.x); i < face_count * a.tiles.y * a.tiles.z; i += static_cast<int>(blockDim.x)) {
        const int f = i % face_count, tile = i / face_count;
        if (a.own_tiles[f] == nullptr || !at_face(a.tiles, f, tile % a.tiles.y, tile / a.tiles.y)) continue;
        const Generation* word = a.own_tiles[f] + tile * TileGrid::words_per_tile;
        if (!await_word(a.flags, Direction::face(f).code, g, [word] { return load_acquire_system(word); })) return;
    }
}

}  // namespace jacobi::cuda
