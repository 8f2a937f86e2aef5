// The cells of a thread of a tile that stays on the chip: in registers, updated in place.
#pragma once

#include "resident_tile.cuh"
#include "rims.cuh"

namespace jacobi::cuda {

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
__device__ inline T last_cell(const Pack<T>& pack, int valid) {
    T cell = in_register(pack.v[pack_cells<T> - 1]);
#pragma unroll
    for (int i = 0; i < pack_cells<T> - 1; ++i) {
        const T other = in_register(pack.v[i]);
        cell = i == valid - 1 ? other : cell;
    }
    return cell;
}

/// A thread's cells of a tile, and what it does with them: `Rows` rows of up to resident_planes planes. Steps from plane to plane
/// are unrolled, so that each has its registers; a warp has nothing else to do meanwhile, so that instructions count.
template <class T, bool Rhs, int Rows>
class ResidentCells {
 public:
    __device__ ResidentCells(const PersistentArgs<T>& args, const ResidentPlace& place, const ResidentPart& own_part,
                             const ResidentSeams<T>& tile_seams, const TileRims& rims)
        : a(args),
          part(own_part),
          seams(tile_seams),
          planes(place.planes),
          here((part.valid > 0 ? part.pack * cells : 0) + (place.y0 + part.r0) * a.pass[0].pitch + place.z0 * a.pass[0].plane),
          sends_down(rims.to[4][0] != nullptr),
          sends_up(rims.to[5][0] != nullptr) {}

    /// Plane k of a field.
    __device__ __forceinline__ void load(int k, const T* u) {
#pragma unroll
        for (int j = 0; j < Rows; ++j) tile[k][j] = load_pack<false>(u + here + row_of(j) + k * a.pass[0].plane);
    }

    /// Updates plane k in place. resident_planes come in the order 1, 2, ..., 0. `from`: what other warps have told of the
    /// generation that is read; `to`: where they look for what this one tells of the next. The highest plane and the lowest one
    /// end where the planes above and below lay, if they go to other tiles.
    __device__ __forceinline__ void update(int k, const SeamPlaces<T>& from, const SeamPlaces<T>& to) {
        Pack<T>(&centre)[Rows] = tile[k];
        const Pack<T>* const edge = from.edge + k * from.edge_step;
        const RowEnds<T>* const ends = from.ends + k * from.end_step;
        Pack<T> before = edge[-seams.width()];
        const Pack<T> behind = edge[2 * seams.width()];
        Pack<T>* const under = seams.under() + opaque(0);
        Pack<T>* const over = seams.over() + opaque(0);
        Pack<T>* const second = seams.second() + opaque(0);
        if (part.rows < Rows) {  // a row that the tile has not is the one behind it
#pragma unroll
            for (int j = 1; j < Rows; ++j) {
#pragma unroll
                for (int i = 0; i < cells; ++i) {
                    const T cell = in_register(centre[j].v[i]);
                    centre[j].v[i] = j == part.rows ? behind.v[i] : cell;
                }
            }
        }
        if (k > 0 && k + 1 < resident_planes && k + 1 == planes) {  // a plane that the tile has not is the one above it
#pragma unroll
            for (int j = 0; j < Rows; ++j) tile[k + 1 < resident_planes ? k + 1 : k][j] = over[j * seams.kept_step()];
        }
#pragma unroll
        for (int j = 0; j < Rows; ++j) {
            const T from_left = __shfl_up_sync(~0u, centre[j].v[cells - 1], 1);
            const T from_right = __shfl_down_sync(~0u, centre[j].v[0], 1);
            const RowEnds<T> e = ends[j];
            const T left_cell = part.first_lane ? e.left : from_left, right_cell = part.last_lane ? e.right : from_right;
#pragma unroll
            for (int i = 1; i < cells; ++i) {
                const T cell = in_register(centre[j].v[i]);
                centre[j].v[i] = i == part.valid ? right_cell : cell;
            }
            Pack<T> rhs;
            if constexpr (Rhs) rhs = load_pack<true>(a.pass[0].b + here + row_of(j) + opaque(k) * a.pass[0].plane);
            if (k == 0) below[j] = under[j * seams.kept_step()];
            if (k == 1) below[j] = tile[0][j], second[j * seams.kept_step()] = centre[j];
            Pack<T> above;
            if (k == 0) {
                above = (planes > 1 ? second : over)[j * seams.kept_step()];
            } else if (k + 1 == resident_planes) {
                above = over[j * seams.kept_step()];
            } else {
                above = tile[k + 1 < resident_planes ? k + 1 : k][j];
            }
            const Pack<T> next =
                update_pack<Rhs>(a.pass[0], left_cell, right_cell, before,
                                 j == Rows - 1 ? behind : centre[j == Rows - 1 ? j : j + 1], below[j], centre[j], above, rhs);
            before = below[j] = centre[j];
            centre[j] = next;
        }
        tell(k, to);
    }

    /// What other warps, and other tiles across z faces, need of plane k.
    __device__ __forceinline__ void tell(int k, const SeamPlaces<T>& to) {
        const Pack<T>(&centre)[Rows] = tile[k];
        Pack<T>* const edge = to.edge + k * to.edge_step;
        RowEnds<T>* const to_left = to.left + k * to.end_step;
        RowEnds<T>* const to_right = to.right + k * to.end_step;
        Pack<T> last = centre[Rows - 1];
        if (part.rows < Rows) {
#pragma unroll
            for (int j = 0; j < Rows - 1; ++j) {
#pragma unroll
                for (int i = 0; i < cells; ++i) {
                    const T cell = in_register(centre[j].v[i]);
                    last.v[i] = j + 1 == part.rows ? cell : last.v[i];
                }
            }
        }
        edge[0] = centre[0];
        edge[seams.width()] = last;
#pragma unroll
        for (int j = 0; j < Rows; ++j) {
            store_shared_if(part.first_lane, &to_left[j].right, centre[j].v[0]);
            store_shared_if(part.last_lane, &to_right[j].left, last_cell(centre[j], part.valid));
        }
        if (k == 0 && sends_down) {
            Pack<T>* const under = seams.under() + opaque(0);
#pragma unroll
            for (int j = 0; j < Rows; ++j) under[j * seams.kept_step()] = centre[j];
        }
        if ((k + 1 == resident_planes || k + 1 == planes) && sends_up) {
            Pack<T>* const over = seams.over() + opaque(0);
#pragma unroll
            for (int j = 0; j < Rows; ++j) over[j * seams.kept_step()] = centre[j];
        }
    }

    /// Plane k to a field and into neighbours' halos.
    __device__ __forceinline__ void store(int k, const ResidentPlace& place, T* out, const PushTargets<T>& to) const {
#pragma unroll
        for (int j = 0; j < Rows; ++j) {
            if (j >= part.rows || part.valid <= 0) break;
            const Pack<T> value = tile[k][j];
            const int x = part.pack * cells, y = place.y0 + part.r0 + j, z = place.z0 + k;
            store_cells(out + here + row_of(j) + k * a.pass[0].plane, value, part.valid);
            push_rows(to, x, y, z, value, part.valid);
            push_ends(to, x, y, z, value, part.valid);
        }
    }

 private:
    static constexpr int cells = pack_cells<T>;
    __device__ Index row_of(int j) const { return min(j, part.rows - 1) * a.pass[0].pitch; }  ///< one that there is

    const PersistentArgs<T>& a;
    const ResidentPart& part;
    const ResidentSeams<T>& seams;
    const int planes;
    const Index here;  ///< of the thread's first cell in fields
    const bool sends_down, sends_up;
    Pack<T> tile[resident_planes][Rows];
    Pack<T> below[Rows];  ///< old values of the plane below the one to come
};

}  // namespace jacobi::cuda
