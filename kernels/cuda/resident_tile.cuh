// A tile that stays on the chip: its place in the block, a thread's part of it, and what its warps tell each other.
#pragma once

#include "persistent_tiles.cuh"

namespace jacobi::cuda {

/// A tile's place in the block.
struct ResidentPlace {
    int ty, tz, y0, z0, rows, planes;
};

template <class T>
__device__ inline ResidentPlace place_of_tile(const PersistentArgs<T>& a, int tile) {
    const int ty = tile % a.tiles.y, tz = tile / a.tiles.y, ny = a.extent[1], nz = a.extent[2];
    const int y0 = first_of(ny, ty, a.tiles.y), z0 = first_of(nz, tz, a.tiles.z);
    return {ty, tz, y0, z0, first_of(ny, ty + 1, a.tiles.y) - y0, first_of(nz, tz + 1, a.tiles.z) - z0};
}

/// The cells of one thread: a pack of `rows` rows from r0 on in all planes of the tile; a warp may have no row.
struct ResidentPart {
    int group, row_group, pack, r0, rows;
    int left, right;  ///< groups whose rows begin where this warp's end, and the other way round; ResidentShape::groups: none
    int valid;        ///< cells from the pack on to the row's end; none: the lane only helps
    bool first_lane, last_lane;  ///< the cell to the left, or to the right, is in no other lane
    bool before, behind;         ///< the tile's first row, or its last one, is among the rows
    bool row_begin, row_end;     ///< the row's first cell, or its last one, is in the pack

    /// `round`: a row's first cell is its last one's neighbour.
    __device__ ResidentPart(const ResidentPlace& p, const ResidentShape& s, int nx, int cells, bool round) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        // The same in all lanes, and so that the compiler knows.
        const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0);
        group = warp % s.groups;
        row_group = warp / s.groups;
        left = group > 0 ? group - 1 : round ? s.groups - 1 : s.groups;
        right = group < s.groups - 1 ? group + 1 : round ? 0 : s.groups;
        pack = group * 32 + lane;
        r0 = row_group * s.rows_a_warp;
        rows = max(0, min(s.rows_a_warp, p.rows - r0));
        valid = nx - pack * cells;
        first_lane = lane == 0;
        last_lane = valid > 0 && (lane == 31 || valid <= cells);
        before = r0 == 0;
        behind = rows > 0 && r0 + rows == p.rows;
        row_begin = pack == 0;
        row_end = valid > 0 && valid <= cells;
    }
};

/// The neighbours in x of the cells at both ends of a warp's part of a row.
template <class T>
struct alignas(16) RowEnds {
    T left, right;
};

/// What warps of a tile tell each other of a generation, in shared memory: the first and the last row of each, and the cells at
/// both ends of its parts of rows. There are two generations: what a pass stores is not what it reads, and one block barrier a
/// pass orders both. And what a thread keeps for itself, since registers are short.
template <class T>
struct ResidentSeams {
    Pack<T>* edges;
    RowEnds<T>* ends;
    Pack<T>* own;
    ResidentShape s;

    __device__ ResidentSeams(std::byte* shared, const ResidentShape& shape)
        : edges(reinterpret_cast<Pack<T>*>(shared)),
          ends(reinterpret_cast<RowEnds<T>*>(edges + shape.edges())),
          own(edges + shape.edges() + shape.ends()),
          s(shape) {}
    __device__ int width() const { return s.groups * 32; }
    /// The thread's pack of its first row of plane 0. `width` packs on that of its last row, `width` packs back that of the row
    /// before its first one, and 2 width on that of the row behind its last one.
    __device__ Pack<T>* edge(int parity, const ResidentPart& part) const {
        return edges + (parity * s.planes * (s.row_groups + 1) * 2 + part.row_group * 2 + 1) * width() + part.pack;
    }
    __device__ int edge_step() const { return (s.row_groups + 1) * 2 * width(); }  ///< to the next plane
    /// Of row r of plane 0, followed by the other rows. Group s.groups: for what lies beyond the row, the cells at its ends.
    __device__ RowEnds<T>* end(int parity, int r, int group) const {
        return ends + (parity * s.planes * (s.groups + 1) + group) * s.rows() + r;
    }
    __device__ int end_step() const { return (s.groups + 1) * s.rows(); }  ///< to the next plane
    // The rows of planes below and above the tile, and old values of its second plane.
    __device__ int kept_step() const { return static_cast<int>(blockDim.x); }  ///< to the next row
    __device__ Pack<T>* under() const { return own + threadIdx.x; }
    __device__ Pack<T>* over() const { return under() + s.rows_a_warp * kept_step(); }
    __device__ Pack<T>* second() const { return over() + s.rows_a_warp * kept_step(); }
};

/// Where a thread's seams of one generation lie: those of plane 0, and the way to the next plane.
template <class T>
struct SeamPlaces {
    Pack<T>* edge;
    RowEnds<T>*ends, *left, *right;  ///< its own; those of the groups whose rows begin and end where its own end and begin
    int edge_step, end_step;

    __device__ SeamPlaces(const ResidentSeams<T>& seams, const ResidentPart& part, int parity)
        : edge(seams.edge(parity, part)),
          ends(seams.end(parity, part.r0, part.group)),
          left(seams.end(parity, part.r0, part.left)),
          right(seams.end(parity, part.r0, part.right)),
          edge_step(opaque(seams.edge_step())),
          end_step(opaque(seams.end_step())) {}
};

/// Stores into shared memory where `condition` holds. One instruction: the compiler makes a branch of it, with what is worked out
/// for the store, and branches between planes cost more than all that.
__device__ inline void store_shared_if(bool condition, double* to, double value) {
    asm volatile("{\n .reg .pred p;\n setp.ne.s32 p, %0, 0;\n @p st.shared.f64 [%1], %2;\n}" ::"r"(static_cast<int>(condition)),
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "d"(value)
                 : "memory");
}
__device__ inline void store_shared_if(bool condition, float* to, float value) {
    asm volatile("{\n .reg .pred p;\n setp.ne.s32 p, %0, 0;\n @p st.shared.f32 [%1], %2;\n}" ::"r"(static_cast<int>(condition)),
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "f"(value)
                 : "memory");
}

}  // namespace jacobi::cuda
