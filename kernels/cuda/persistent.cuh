// One cooperative kernel for many passes: blocks own tiles of rows and planes and wait for each other, and for the neighbours'
// GPUs, only where they share cells.
#pragma once

#include "sweep.cuh"

namespace jacobi::cuda {

inline constexpr int persistent_threads = 1024;
inline constexpr int words_per_line = 16;  // 64-bit words of a 128-byte line: no two tiles' flags share one

/// Blocks of the kernel: tile (ty, tz) is block ty + y tz and holds whole rows.
struct TileGrid {
    int y = 1, z = 1;
};

template <class T>
struct PersistentArgs {
    SweepArgs<T> pass[2];  ///< by parity of the generation that is read
    PushTargets<T> to[2];  ///< by parity of the generation that is written
    int extent[3];
    TileGrid tiles;
    Generation* tile_done;  ///< generation that each tile has completed, one line a tile
    // By face; null: no neighbour.
    const std::uint64_t* own_arrivals[face_count][2];
    std::uint64_t* there_arrivals[face_count][2];
    int neighbour_tiles[face_count];
    FlagArgs flags;  ///< for its time limit and failure state
};

/// Generations of g's parity among 1, ..., g: each neighbouring tile has added that many to the parity's word when g is complete.
__device__ inline std::uint64_t rounds(Generation g) { return static_cast<std::uint64_t>((g + 1) / 2); }

/// Waits until *word >= target with acquire at the scope of the writer, the deadline, or a failure elsewhere.
template <class Load>
__device__ inline bool await_count(const FlagArgs& flags, int direction, Generation g, std::uint64_t target, Load&& load) {
    if (load() >= target) return true;
    const unsigned long long start = global_nanoseconds();
    for (unsigned spin = 1;; ++spin) {
        const std::uint64_t seen = load();
        if (seen >= target) return true;
        if (spin % 64 != 0) continue;
        if (failed(flags.state) != 0) return false;
        if (global_nanoseconds() - start > flags.timeout_ns) {
            if (atomicExch(&flags.state->failed, 1u) == 0) {
                flags.state->direction = direction;
                flags.state->expected = g;
                flags.state->seen = g - 1;  // the generation before is known to be complete
            }
            return false;
        }
    }
}

/// Does the tile have cells on face f?
template <class T>
__device__ inline bool at_face(const PersistentArgs<T>& a, int f, int ty, int tz) {
    switch (f) {
        case 2: return ty == 0;
        case 3: return ty == a.tiles.y - 1;
        case 4: return tz == 0;
        case 5: return tz == a.tiles.z - 1;
        default: return true;  // tiles hold whole rows
    }
}

/// The wait before a tile's pass g. The four tiles around it must have completed generation g: they have then written what this
/// tile reads, and have read what it is about to overwrite (generation g - 1 is in the same buffer). The same of the neighbours'
/// tiles behind each face the tile touches. One thread a condition; the block barrier extends the acquires to all threads.
///
/// Arrivals of g and g + 2 share a word, yet cannot be taken for each other: a tile adds g + 2 only after the neighbour's
/// generation g + 1 is complete, for which every tile of the neighbour has seen this rank's generation g complete.
template <class T>
__device__ inline bool await_pass(const PersistentArgs<T>& a, int ty, int tz, Generation g) {
    const int thread = static_cast<int>(threadIdx.x);
    bool ok = failed(a.flags.state) == 0;
    if (thread < 4 && ok) {
        const int y = ty + (thread == 0 ? -1 : thread == 1 ? 1 : 0), z = tz + (thread == 2 ? -1 : thread == 3 ? 1 : 0);
        if (y >= 0 && y < a.tiles.y && z >= 0 && z < a.tiles.z) {
            const Generation* word = a.tile_done + (y + a.tiles.y * z) * words_per_line;
            ok = await_count(a.flags, Direction{}.code, g, static_cast<std::uint64_t>(g), [word] {
                std::uint64_t value;
                asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
                return value;
            });
        }
    } else if (thread < 4 + face_count && ok) {
        const int f = thread - 4;
        const std::uint64_t* word = a.own_arrivals[f][g & 1];
        if (word != nullptr && at_face(a, f, ty, tz)) {
            ok = await_count(a.flags, Direction::face(f).code, g, rounds(g) * a.neighbour_tiles[f], [word] {
                return static_cast<std::uint64_t>(load_acquire_system(reinterpret_cast<const Generation*>(word)));
            });
        }
    }
    return __syncthreads_and(ok) != 0;
}

/// After a tile's pass g: its accesses, the block barrier, then release stores by the threads that announce them.
template <class T>
__device__ inline void announce_pass(const PersistentArgs<T>& a, int ty, int tz, Generation g) {
    __syncthreads();
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        asm volatile("st.release.gpu.global.s64 [%0], %1;" ::"l"(a.tile_done + (ty + a.tiles.y * tz) * words_per_line), "l"(g + 1)
                     : "memory");
    } else if (thread <= face_count) {
        const int f = thread - 1;
        std::uint64_t* word = a.there_arrivals[f][(g + 1) & 1];
        if (word != nullptr && at_face(a, f, ty, tz)) {
            asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(word), "l"(std::uint64_t{1}) : "memory");
        }
    }
}

/// Passes g, ..., g + passes - 1. All blocks must be resident (cooperative launch). A warp takes a row at a time.
template <class T, bool Rhs>
__global__ void __launch_bounds__(persistent_threads, 1)
    persistent_kernel(const PersistentArgs<T> a, const Generation first, const Index passes) {
    constexpr int cells = pack_cells<T>;
    const int ty = static_cast<int>(blockIdx.x) % a.tiles.y, tz = static_cast<int>(blockIdx.x) / a.tiles.y;
    const int y0 = a.extent[1] * ty / a.tiles.y, y1 = a.extent[1] * (ty + 1) / a.tiles.y;
    const int z0 = a.extent[2] * tz / a.tiles.z, z1 = a.extent[2] * (tz + 1) / a.tiles.z;
    const int rows = (y1 - y0) * (z1 - z0);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    for (Generation g = first; g < first + passes; ++g) {
        if (!await_pass(a, ty, tz, g)) return;
        const SweepArgs<T>& s = a.pass[g & 1];
        const PushTargets<T>& to = a.to[(g + 1) & 1];
        for (int row = warp; row < rows; row += persistent_threads / 32) {
            const int y = y0 + row % (y1 - y0), z = z0 + row / (y1 - y0);
            for (int x = lane * cells; x < a.extent[0]; x += 32 * cells) {
                const Index at = x + y * s.pitch + z * s.plane;
                const T* u = s.u + at;
                // Plain loads: other blocks and other GPUs write these cells while this kernel runs; the acquires above order
                // them.
                const Pack<T> next = update_pack<false, Rhs>(s, u, Rhs ? s.b + at : nullptr, load_pack<false>(u - s.plane),
                                                             load_pack<false>(u), load_pack<false>(u + s.plane));
                store_cells(s.out + at, next, a.extent[0] - x);
                push_cells(to, x, y, z, next, a.extent[0] - x);
            }
        }
        announce_pass(a, ty, tz, g);
    }
}

/// For kernels that read halos after persistent passes, enqueued behind it: all faces have generation g.
template <class T>
__global__ void await_arrivals_kernel(const PersistentArgs<T> a, Generation g) {
    const int f = static_cast<int>(threadIdx.x);
    if (f >= face_count || a.own_arrivals[f][g & 1] == nullptr || failed(a.flags.state) != 0) return;
    const auto* word = reinterpret_cast<const Generation*>(a.own_arrivals[f][g & 1]);
    (void)await_count(a.flags, Direction::face(f).code, g, rounds(g) * a.neighbour_tiles[f],
                      [word] { return static_cast<std::uint64_t>(load_acquire_system(word)); });
}

}  // namespace jacobi::cuda
