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
    FlagArgs flags;  ///< for its time limit and failure state
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

/// After a tile's pass g: its accesses, the block barrier, then release stores, one thread each: for this rank's tiles at device
/// scope, for the neighbours' at system scope, into the word of the tile across the face.
template <class T>
__device__ inline void announce_pass(const PersistentArgs<T>& a, int ty, int tz, Generation g) {
    __syncthreads();
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        asm volatile("st.release.gpu.global.s64 [%0], %1;" ::"l"(a.tile_done + word_of(a.tiles, ty, tz)), "l"(g + 1) : "memory");
    } else if (thread <= face_count) {
        const int f = thread - 1;
        if (a.there_tiles[f] != nullptr && at_face(a.tiles, f, ty, tz)) {
            store_release_system(a.there_tiles[f] + word_across(a.tiles, f, ty, tz), g + 1);
        }
    }
}

/// Passes g, ..., g + passes - 1. All blocks must be resident (cooperative launch).
template <class T, bool Rhs>
__global__ void __launch_bounds__(persistent_threads, 1)
    persistent_kernel(const PersistentArgs<T> a, const Generation first, const Index passes) {
    constexpr int cells = pack_cells<T>;
    const int ty = static_cast<int>(blockIdx.x) % a.tiles.y, tz = static_cast<int>(blockIdx.x) / a.tiles.y;
    const int y0 = a.extent[1] * ty / a.tiles.y, y1 = a.extent[1] * (ty + 1) / a.tiles.y;
    const int z0 = a.extent[2] * tz / a.tiles.z, z1 = a.extent[2] * (tz + 1) / a.tiles.z;
    constexpr int warps = persistent_threads / 32;
    const int height = max(1, y1 - y0);
    const int row_items = (a.extent[0] + 32 * cells - 1) / (32 * cells);  // a warp's worth of groups each
    const int items = row_items * (y1 - y0) * (z1 - z0);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    for (Generation g = first; g < first + passes; ++g) {
        if (!await_pass(a, ty, tz, g)) return;
        const SweepArgs<T>& s = a.pass[g & 1];
        const PushTargets<T>& to = a.to[(g + 1) & 1];
        // Two groups at a time, all loads before the stores, so that a warp waits for the L2 half as often. Plain loads: other
        // blocks and other GPUs write these cells while this kernel runs; the acquires above order them.
        for (int item = warp; item < items; item += 2 * warps) {
            Pack<T> next[2];
            int x[2], y[2], z[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int at = item + i * warps, row = at / row_items;
                x[i] = (at % row_items * 32 + lane) * cells;
                y[i] = y0 + row % height;
                z[i] = z0 + row / height;
                if (at >= items || x[i] >= a.extent[0]) x[i] = -1;
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
