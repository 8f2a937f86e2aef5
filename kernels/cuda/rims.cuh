// Rims of tiles that stay on the chip, on their way from tile to tile: mailboxes whose entries say themselves when they are
// there.
#pragma once

#include "persistent_tiles.cuh"

namespace jacobi::cuda {

// One access of 16 bytes that happens as a whole (PTX ISA 8.3), so that cells are never seen with another generation than theirs.
// Relaxed: nothing else needs to be ordered by it, since an entry brings its cells along.

// System scope, since neighbours may be another GPU's; within one it costs no more.

__device__ inline void store_entry(Tagged* to, unsigned long long cells, Generation tag) {
    asm volatile("{\n.reg .b128 entry;\nmov.b128 entry, {%1, %2};\nst.relaxed.sys.global.b128 [%0], entry;\n}" ::"l"(to),
                 "l"(cells), "l"(tag)
                 : "memory");
}
__device__ inline Tagged load_entry(const Tagged* from) {
    Tagged entry;
    asm volatile("{\n.reg .b128 entry;\nld.relaxed.sys.global.b128 entry, [%2];\nmov.b128 {%0, %1}, entry;\n}"
                 : "=l"(entry.cells), "=l"(entry.tag)
                 : "l"(from)
                 : "memory");
    return entry;
}

/// The mailboxes of one tile by face: where its rims arrive and where it sends its own, by parity of the generation. Null:
/// nothing travels there, at Dirichlet faces and across x within a rank. Line i of a y face is plane i of the tile, of a z face
/// row i.
struct TileRims {
    Tagged* from[face_count][2];
    Tagged* to[face_count][2];
    bool remote[face_count];  ///< from and to another rank
};

/// Entries of a line that crosses y or z faces: two for each pack of a row.
template <class T>
__host__ __device__ constexpr int rim_line(int nx) {
    return 2 * ((nx + pack_cells<T> - 1) / pack_cells<T>);
}
/// Lines of one generation in the mailbox of a tile of this rank.
__host__ __device__ inline int tile_rim_lines(const ResidentShape& s) { return 2 * (s.rows() + s.planes); }

/// Entry 0 of face f in the mailbox of tile (ty, tz) of this rank.
template <class T>
__device__ inline Tagged* tile_mailbox(const PersistentArgs<T>& a, const ResidentShape& s, int ty, int tz, int parity, int f) {
    const int first_line = f == 2 ? 0 : f == 3 ? s.planes : f == 4 ? 2 * s.planes : 2 * s.planes + s.rows();
    const Index box = (static_cast<Index>(ty) + a.tiles.y * tz) * 2 + parity;
    return a.tile_rims + (box * tile_rim_lines(s) + first_line) * rim_line<T>(a.extent[0]);
}

/// Face f's part of the mailboxes of tile (ty, tz), whose cells begin at row y0 and plane z0 of the block.
template <class T>
__device__ inline void find_mailboxes(TileRims& rims, const PersistentArgs<T>& a, const ResidentShape& s, int ty, int tz, int y0,
                                      int z0, int f) {
    const bool at = at_face(a.tiles, f, ty, tz);
    rims.remote[f] = at && a.remote[f];
    for (int p = 0; p < 2; ++p) {
        rims.from[f][p] = rims.to[f][p] = nullptr;
        if (rims.remote[f]) {
            // Neighbours count cells of the face alike, whatever their tiles: the extents along the face are the same.
            const Index first = f < 2 ? z0 * static_cast<Index>(a.extent[1]) + y0
                                      : static_cast<Index>(f < 4 ? z0 : y0) * rim_line<T>(a.extent[0]);
            rims.from[f][p] = a.own_rims[f][p] + first;
            rims.to[f][p] = a.there_rims[f][p] + first;
        } else if (f >= 2 && (!at || (a.to[0].connected >> f & 1u) != 0)) {
            // A tile of this rank; round the periodic axis for a rank that is its own neighbour.
            const int step = f % 2 == 0 ? -1 : 1;
            const int y = f < 4 ? (ty + step + a.tiles.y) % a.tiles.y : ty, z = f < 4 ? tz : (tz + step + a.tiles.z) % a.tiles.z;
            rims.from[f][p] = tile_mailbox(a, s, ty, tz, p, f);
            rims.to[f][p] = tile_mailbox(a, s, y, z, p, f ^ 1);
        }
    }
}

template <class T>
__device__ inline unsigned long long bits_of_cell(T value) {
    if constexpr (sizeof(T) == 8)
        return static_cast<unsigned long long>(__double_as_longlong(value));
    else
        return __float_as_uint(value);
}
template <class T>
__device__ inline T cell_of_bits(unsigned long long bits) {
    if constexpr (sizeof(T) == 8)
        return __longlong_as_double(static_cast<long long>(bits));
    else
        return __uint_as_float(static_cast<unsigned>(bits));
}

/// Bytes 8 h, ..., 8 h + 7 of a pack.
template <class T>
__device__ inline unsigned long long half_of_pack(const Pack<T>& pack, int h) {
    if constexpr (sizeof(T) == 8)
        return bits_of_cell(pack.v[h]);
    else
        return bits_of_cell(pack.v[2 * h]) | bits_of_cell(pack.v[2 * h + 1]) << 32;
}
template <class T>
__device__ inline void put_half(Pack<T>& pack, int h, unsigned long long bits) {
    if constexpr (sizeof(T) == 8) {
        pack.v[h] = cell_of_bits<T>(bits);
    } else {
        pack.v[2 * h] = cell_of_bits<T>(bits);
        pack.v[2 * h + 1] = cell_of_bits<T>(bits >> 32);
    }
}

// Sending generation g of a cell overwrites the entry of g - 2, which its reader has loaded: the thread that reads it is the one
// that computes the cell's mirror image beyond the face, from it, and sends that; and the thread that sends here has computed
// from what came. So g was computed from the mirror's g - 1, and that from this cell's g - 2.

/// The tag of a generation: entries start as zeros, which belong to none.
__device__ inline Generation tag_of(Generation g) { return g + 1; }

/// The cell at an end of a row, across an x face: to another rank.
template <class T>
__device__ inline void send_cell(const TileRims& rims, int f, Generation g, int row, T value) {
    store_entry(rims.to[f][g & 1] + row, bits_of_cell(value), tag_of(g));
}

/// The cell of another rank across x face f.
template <class T>
__device__ inline bool receive_cell(const Tagged* from, T& cell, int f, const FlagArgs& flags, Generation g) {
    for (Patience patience;;) {
        const Tagged entry = load_entry(from);
        if (entry.tag == tag_of(g)) {
            cell = cell_of_bits<T>(entry.cells);
            return true;
        }
        if (!patience.untested() && !patience.more(flags, Direction::face(f).code, g, g - 1)) return false;
    }
}

}  // namespace jacobi::cuda
