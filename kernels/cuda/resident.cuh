// One cooperative kernel for many passes of blocks that fit on the chip: tiles stay in shared memory, and only rims travel.
#pragma once

#include "resident_tile.cuh"
#include "rims.cuh"

namespace jacobi::cuda {

/// Fills the list of what a tile takes from its mailboxes.
template <class T>
__device__ inline void list_rims(RimItem* items, const ResidentTile<T>& tile, const ResidentPlace& p, const TileRims& rims,
                                 int thread, int threads) {
    const int packs = rim_line<T>(p.nx) / 2;
    for (int item = thread; item < p.lines() * p.groups; item += threads) {
        const int line = item / p.groups, pack = item % p.groups * 32, f = p.face(line);
        int r, q;
        p.line(line, 1, r, q);
        RimItem& it = items[item];
        for (int parity = 0; parity < 2; ++parity) {
            const Tagged* const from = rims.from[f][parity];
            it.from[parity] = from == nullptr ? nullptr : from + (p.line_of_face(line) * 2 * packs + pack);
        }
        it.to = static_cast<int>(tile.row(r, q) - tile.memory) + pack;
        it.lanes = packs - pack;
        it.face = f;
    }
}

/// Takes generation g of what lies around the tile from its mailboxes. What no mailbox brings is there already: faces' values,
/// and the other end of a row that is its own neighbour. False: give up.
template <int at_a_time, class T>
__device__ inline bool receive_rims(const ResidentTile<T>& tile, const ResidentPlace& p, const RimItem* items,
                                    const TileRims& rims, const FlagArgs& flags, Generation g, int thread, int threads) {
    asm volatile("" : "+r"(thread));  // what follows from it is worked out again in each pass: there are no registers to keep it
    const int lane = thread % 32, warps = threads / 32, parity = static_cast<int>(g & 1), count = p.lines() * p.groups;
    const int packs = rim_line<T>(p.nx) / 2;
    for (int first = thread / 32; first < count; first += at_a_time * warps) {
        Awaited<2> pack[at_a_time];
#pragma unroll
        for (int i = 0; i < at_a_time; ++i) {
            const RimItem& it = items[min(first + i * warps, count - 1)];
            pack[i].face = it.face;
            pack[i].from = first + i * warps < count && lane < it.lanes ? it.from[parity] : nullptr;
            if (pack[i].from != nullptr) pack[i].from += lane;
        }
        if (!await_entries(pack, packs, rims, flags, g)) return false;
#pragma unroll
        for (int i = 0; i < at_a_time; ++i) {
            if (pack[i].from == nullptr) continue;
            auto* to = reinterpret_cast<ulonglong2*>(tile.memory + items[first + i * warps].to + lane);
            *to = {pack[i].half[0].cells, pack[i].half[1].cells};
        }
    }
    if (!rims.remote[0] && !rims.remote[1]) return true;
    for (int item = thread; item < 2 * p.rows * p.planes; item += threads) {
        const int f = item % 2, r = item / 2 % p.rows, q = item / 2 / p.rows;
        if (!rims.remote[f]) continue;
        Awaited<1> cell[1];
        cell[0].face = f;
        cell[0].from = rims.from[f][parity] + (q * p.ny + r);
        if (!await_entries(cell, 0, rims, flags, g)) return false;
        tile.cells(r, q)[f == 0 ? -1 : p.nx] = cell_of_bits<T>(cell[0].half[0].cells);
    }
    return true;
}

/// A choice between cells of a pack, through this, is one between registers; else the compiler makes it one between addresses,
/// and puts the pack into memory to have some.
template <class T>
__device__ inline T in_register(T value) {
    if constexpr (sizeof(T) == 8) {
        asm volatile("" : "+d"(value));
    } else {
        asm volatile("" : "+f"(value));
    }
    return value;
}

/// Of a pack with the last `valid` cells of a row.
template <class T>
__device__ inline T last_cell(Pack<T> pack, int valid) {
    T cell = in_register(pack.v[0]);
#pragma unroll
    for (int i = 1; i < pack_cells<T>; ++i) {
        const T other = in_register(pack.v[i]);
        cell = i == valid - 1 ? other : cell;
    }
    return cell;
}

/// The cells of one thread: pack `pack` of `rows` rows from r0 on in `planes` planes from q0 on of the tile.
struct ResidentPart {
    int pack, r0, q0, rows, planes;
    unsigned
        is;  ///< what follows, a bit each, to save registers; sends << f: its cells at face f of the tile have somewhere to go

    static constexpr unsigned present = 1;     ///< has cells; else the pack lies behind the row
    static constexpr unsigned first_lane = 2;  ///< the cell to the left is in no other lane
    static constexpr unsigned last_lane = 4;   ///< the cell to the right is in no other lane
    static constexpr unsigned row_begin = 8, row_end = 16;
    static constexpr unsigned sends = 32;

    __device__ ResidentPart(const ResidentPlace& p, const ResidentShape& s, int cells) {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        const int row_groups = tiles_for(s.rows, s.rows_a_warp);
        pack = warp % s.groups * 32 + lane;
        r0 = warp / s.groups % row_groups * s.rows_a_warp;
        q0 = warp / s.groups / row_groups * s.planes_a_warp;
        rows = max(0, min(s.rows_a_warp, p.rows - r0));
        planes = rows > 0 ? max(0, min(s.planes_a_warp, p.planes - q0)) : 0;
        const int valid = p.nx - pack * cells;
        is = (valid > 0 ? present : 0) | (lane == 0 ? first_lane : 0) | (lane == 31 || valid <= cells ? last_lane : 0) |
             (pack == 0 ? row_begin : 0) | (valid > 0 && valid <= cells ? row_end : 0);
    }
    __device__ void find_sends(const ResidentPlace& p, const TileRims& rims) {
        const bool at[face_count] = {has(row_begin),      has(row_end), r0 == 0,
                                     r0 + rows == p.rows, q0 == 0,      q0 + planes == p.planes};
        for (int f = 0; f < face_count; ++f) {
            if (has(present) && at[f] && rims.to[f][0] != nullptr) is |= sends << f;
        }
    }
    __device__ bool has(unsigned bit) const { return (is & bit) != 0; }
    /// Faces, a bit each, across which row j of plane k goes.
    __device__ unsigned faces(int j, int k) const {
        return is / sends &
               ((j == 0 ? 4u : 0u) | (j == rows - 1 ? 8u : 0u) | (k == 0 ? 16u : 0u) | (k == planes - 1 ? 32u : 0u) | 3u);
    }
};

/// Passes first, ..., first + passes - 1. All blocks must be resident (cooperative launch). A thread updates `Rows` rows,
/// `Planes` planes between two block barriers.
template <class T, bool Rhs, int Rows, int Planes>
__global__ void __launch_bounds__(32 * resident_warps, 1)
    resident_kernel(const __grid_constant__ PersistentArgs<T> a, const ResidentShape s, const Generation first,
                    const Index passes) {
    static_assert(Rows <= 2, "a row that the tile has not is the one behind it");
    extern __shared__ __align__(128) std::byte shared_memory[];
    __shared__ TileRims rims;
    __shared__ ResidentPlace place;
    constexpr int cells = pack_cells<T>, at_a_time = 3;  // more would not fit the registers
    const ResidentTile<T> tile(shared_memory, s);
    RimItem* const items = reinterpret_cast<RimItem*>(shared_memory + s.tile_bytes());
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    if (thread == 0) place = place_of_tile(a, s, static_cast<int>(blockIdx.x));
    __syncthreads();
    if (thread < face_count) find_mailboxes(rims, a, s, place.ty, place.tz, place.y0, place.z0, thread);
    ResidentPart part(place, s, cells);
    Pack<T>* const own = tile.row(part.r0, part.q0) + part.pack;
    const int x = part.pack * cells, valid = a.extent[0] - x;
    const Index here = (valid > 0 ? x : 0) + place.element(part.r0, part.q0);
    const auto for_rows = [&](auto&& work) {
        for (int k = 0; k < part.planes; ++k) {
            for (int j = 0; j < part.rows && valid > 0; ++j)
                work(here + j * a.pass[0].pitch + k * a.pass[0].plane, own[j * tile.pitch + k * tile.plane]);
        }
    };
    for_rows([&](Index at, Pack<T>& pack) { store_cells(pack.v, load_pack<false>(a.pass[first & 1].u + at), valid); });
    // The first generation of a batch is the only one whose rims are in memory.
    if (!await_pass(a, place.ty, place.tz, first)) return;
    part.find_sends(place, rims);
    list_rims(items, tile, place, rims, thread, threads);
    load_rim(tile, place, a.pass[first & 1].u, thread, threads);
    const Generation end = first + passes;
    for (Generation g = first; g < end; ++g) {
        const bool ok = g == first || receive_rims<at_a_time>(tile, place, items, rims, a.flags, g, thread, threads);
        if (__syncthreads_and(ok) == 0) return;  // behind it: the rim, and what the warps stored of their own
        // Plane by plane, in place. The planes at both ends of this warp's march are other warps', which will overwrite them.
        Pack<T> below[Rows], centre[Rows], end_plane[Rows];
#pragma unroll
        for (int j = 0; j < Rows; ++j) {
            below[j] = own[j * tile.pitch - tile.plane];
            centre[j] = own[j * tile.pitch];
            end_plane[j] = own[j * tile.pitch + part.planes * tile.plane];
        }
        for (int k0 = 0; k0 < s.planes_a_warp; k0 += Planes) {
            Pack<T> next[Rows][Planes];
#pragma unroll
            for (int i = 0; i < Planes; ++i) {
                const int k = k0 + i;
                if (k >= part.planes) break;  // whole warps
                const Pack<T>* const at = own + k * tile.plane;
                const Pack<T> before = at[-tile.pitch], behind = at[part.rows * tile.pitch];
                if (Rows > 1 && part.rows < Rows) centre[Rows - 1] = behind;
                Pack<T> above[Rows];
#pragma unroll
                for (int j = 0; j < Rows; ++j) {
                    const T* const ends = at[j * tile.pitch].v;
                    T left = __shfl_up_sync(~0u, centre[j].v[cells - 1], 1), right = __shfl_down_sync(~0u, centre[j].v[0], 1);
                    if (part.has(part.first_lane)) left = ends[-1];
                    if (part.has(part.last_lane)) right = ends[cells];
                    above[j] = end_plane[j];
                    if (k + 1 < part.planes) above[j] = at[j * tile.pitch + tile.plane];
                    Pack<T> rhs;
                    if constexpr (Rhs) rhs = load_pack<true>(a.pass[0].b + here + j * a.pass[0].pitch + k * a.pass[0].plane);
                    next[j][i] = update_pack<Rhs>(a.pass[0], left, right, j == 0 ? before : centre[j == 0 ? 0 : j - 1],
                                                  j == Rows - 1 ? behind : centre[j == Rows - 1 ? j : j + 1], below[j], centre[j],
                                                  above[j], rhs);
                }
#pragma unroll
                for (int j = 0; j < Rows; ++j) {
                    below[j] = centre[j];
                    centre[j] = above[j];
                    if (j >= part.rows || g + 1 == end) continue;
                    // At once: the way to the neighbour is what a pass waits for.
                    for (unsigned faces = part.faces(j, k); faces != 0; faces &= faces - 1) {
                        const int f = __ffs(static_cast<int>(faces)) - 1, r = part.r0 + j, q = part.q0 + k;
                        if (f < 2) {
                            const T cell = f == 0 ? next[j][i].v[0] : last_cell(next[j][i], valid);
                            send_cell(rims, f, g + 1, q * a.extent[1] + r, cell);
                        } else {
                            send_pack(rims, f, g + 1, f < 4 ? q : r, rim_line<T>(a.extent[0]) / 2, part.pack, next[j][i]);
                        }
                    }
                }
            }
            __syncthreads();  // everybody has read these planes: the next generation takes their place
            const bool own_neighbour = (a.to[0].connected & 3u) == 3u && !a.remote[0];  // across x
#pragma unroll
            for (int i = 0; i < Planes; ++i) {
                if (k0 + i >= part.planes) break;
#pragma unroll
                for (int j = 0; j < Rows; ++j) {
                    if (j >= part.rows || valid <= 0) break;
                    T* const to = own[j * tile.pitch + (k0 + i) * tile.plane].v;
                    store_cells(to, next[j][i], valid);
                    if (own_neighbour && part.has(part.row_begin)) to[a.extent[0]] = next[j][i].v[0];
                    if (own_neighbour && part.has(part.row_end)) to[-1 - x] = last_cell(next[j][i], valid);
                }
            }
        }
    }
    // The batch's last generation goes where later kernels, and other ranks' next batches, look for it. What is overwritten there
    // in other ranks' halos was read in the batch's first pass, before its reader sent the rims that this tile has awaited since:
    // each value was in shared memory before the block barrier in front of those stores, so its load had returned.
    __syncthreads();
    T* const out = a.pass[(end - 1) & 1].out;
    store_rim(tile, place, out, a.to[end & 1], thread, threads);
    __syncthreads();
    if (thread == 0) announce_pass(a, place.ty, place.tz, end - 1);  // all rims are stored and all halos read
    for_rows([&](Index at, const Pack<T>& pack) { store_cells(out + at, pack, valid); });
}

}  // namespace jacobi::cuda
