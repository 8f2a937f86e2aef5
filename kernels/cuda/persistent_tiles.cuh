// Tiles of persistent passes: blocks own tiles of rows and planes and wait for each other, and for the neighbours' GPUs, only
// where they share cells.
#pragma once

#include "flags.cuh"
#include "march_plan.hpp"
#include "push_faces.cuh"
#include "sweep.cuh"

namespace jacobi::cuda {

/// An entry of a mailbox (RimMailbox).
struct alignas(16) Tagged {
    unsigned long long cells;
    Generation tag;  ///< that the cells belong to
};

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
    // Of tiles that stay on the chip: mailboxes by face and parity, used where the neighbour is another rank; and those of this
    // rank's tiles (rims.cuh).
    Tagged* own_rims[face_count][2];
    Tagged* there_rims[face_count][2];
    Tagged* tile_rims;
};

/// How the threads of a block share a tile of at most `rows` x `planes` rows that stays on the chip: a warp takes 32 packs (one
/// of `groups` along x) of `rows_a_warp` neighbouring rows (one of `row_groups`) in all planes.
struct ResidentShape {
    int groups, row_groups, rows_a_warp, planes;

    int warps() const { return groups * row_groups; }
    __host__ __device__ int rows() const { return row_groups * rows_a_warp; }
    // Of shared memory (resident_tile.cuh), in packs.
    __host__ __device__ int edges() const { return 2 * planes * (row_groups + 1) * 2 * groups * 32; }
    __host__ __device__ int ends() const { return 2 * planes * (groups + 1) * rows(); }
    __host__ __device__ int kept() const { return 3 * 32 * groups * row_groups * rows_a_warp; }
    std::size_t shared_bytes() const { return static_cast<std::size_t>(edges() + ends() + kept()) * 16; }
};

/// Warps of a block whose tile stays on the chip, at most: each thread may have 255 registers then.
inline constexpr int resident_warps = 8;

/// Planes of its tile, and rows of a warp, at most.
inline constexpr int resident_planes = 8, resident_rows = 4;
constexpr int most_resident_rows(int groups) { return resident_rows * (resident_warps / (groups < 1 ? 1 : groups)); }

/// A kernel for tiles that stay on the chip: rows of a warp.
struct ResidentKernel {
    int rows;
    const void* kernel;
};

/// What persistent passes launch; without shared memory tiles go through memory.
struct PersistentLaunch {
    const void* kernel = nullptr;  ///< null: none
    int threads = 0;
    std::size_t shared = 0;
    ResidentShape shape{};
};

/// The first row or plane of a tile: of n, spread over `tiles`.
__device__ inline int first_of(int n, int tile, int tiles) { return static_cast<int>(static_cast<Index>(n) * tile / tiles); }

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
            ok = await_word(a.flags, Direction{}.code, g, [word] { return load_acquire_device(word); });
        }
    } else if (thread < 4 + face_count) {
        const int f = thread - 4;
        if (a.own_tiles[f] != nullptr && at_face(a.tiles, f, ty, tz)) {
            const Generation* word = a.own_tiles[f] + word_of(a.tiles, ty, tz);
            ok = a.remote[f] ? await_word(a.flags, Direction::face(f).code, g, [word] { return load_acquire_system(word); })
                             : await_word(a.flags, Direction{}.code, g, [word] { return load_acquire_device(word); });
        }
    }
    return __syncthreads_and(ok) != 0;
}

/// After a tile's pass g, by one thread behind a barrier of those that store rims and read halos: one fence, then stores of g + 1
/// into the tile's own word and those of the tiles across the faces it touches. A fence followed by its own thread's stores is a
/// release of everything the barrier ordered before it. Device scope reaches this rank's tiles, system scope everybody; the
/// latter costs more and is taken where a neighbour needs it.
template <class T>
__device__ inline void announce_pass(const PersistentArgs<T>& a, int ty, int tz, Generation g) {
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
