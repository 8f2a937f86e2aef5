// Stores boundary layers of any depth into the neighbours' halos: those at x and y faces cell by cell as they are computed, those
// at z faces, edges and corners by a whole block when it is done.
#pragma once

#include "copy_async.cuh"
#include "layers.hpp"
#include "temporal_args.hpp"

namespace jacobi::cuda {

/// Direction::code of faces 0 to 3.
__device__ constexpr int code_of_face(int f) { return Direction::count / 2 + (f % 2 == 0 ? -1 : 1) * (f < 2 ? 1 : 3); }

/// A thread has Rows rows of `valid` cells from (x, y) on, of which it stores those that `stored` has bits of. The ones with
/// cells that neighbours across x and y faces need: Rows bits a face.
template <int Rows, class T>
__device__ inline unsigned rows_at_faces(const LayerTargets<T>& to, const int (&n)[3], int x, int y, int valid, unsigned stored) {
    unsigned rows = 0;
    for (int f = 0; f < 4; ++f) {
        if (to.origin[code_of_face(f)] == nullptr) continue;
        const int layers = f % 2 == 0 ? to.depth : n[f / 2] - to.depth;
        for (int r = 0; r < Rows; ++r) {
            const int lo = f < 2 ? x : y + r, hi = f < 2 ? x + valid - 1 : lo;
            if ((stored >> r & 1) != 0 && (f % 2 == 0 ? lo < layers : hi >= layers)) rows |= 1u << (Rows * f + r);
        }
    }
    return rows;
}

/// Can all of those be stored as whole packs, at a distance that is the same for all?
template <int N, int Rows, class T>
__device__ inline bool plain_rows(const LayerTargets<T>& to, const int (&n)[3], unsigned at_faces, int x, int valid) {
    bool plain = valid == N;
    for (int f = 0; f < 4; ++f) {
        if ((at_faces >> Rows * f & ((1u << Rows) - 1)) == 0) continue;
        plain = plain && to.shift[f] != 1;
        if (f == 0) plain = plain && x + N <= to.depth;
        if (f == 1) plain = plain && x >= n[0] - to.depth;
    }
    return plain;
}

/// Stores them; `out` is where the thread's first row is stored in its own field. As they arise: kept to the end, the layers of
/// all blocks at a face would queue for the link together. The block's other warps wait for the one that does this, so its
/// instructions count. In these halos nobody reads generation g - 1 any more: the block, or the host that launched it, has
/// awaited the neighbours' g before it began.
template <class T, int N, int Rows>
__device__ inline void push_plain_rows(const LayerTargets<T>& to, unsigned at_faces, T* out, Index pitch,
                                       const Cells<T, N> (&cells)[Rows]) {
#pragma unroll 1
    for (int f = 0; at_faces != 0; ++f, at_faces >>= Rows) {
        const unsigned rows = at_faces & ((1u << Rows) - 1);
        if (rows == 0) continue;
        T* const target = reinterpret_cast<T*>(reinterpret_cast<char*>(out) + to.shift[f]);
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            if ((rows >> r & 1) != 0) *reinterpret_cast<Cells<T, N>*>(target + r * pitch) = cells[r];
        }
    }
}

/// The same of any others, of plane z.
template <class T, int N, int Rows>
__device__ inline void push_layer_rows(const LayerTargets<T>& to, const int (&n)[3], unsigned at_faces, int x, int y, int z,
                                       int valid, const Cells<T, N> (&cells)[Rows]) {
#pragma unroll 1
    for (int f = 0; f < 4; ++f, at_faces >>= Rows) {
        const unsigned rows = at_faces & ((1u << Rows) - 1);
        if (rows == 0) continue;
        const Index pitch = to.pitch[code_of_face(f)];
        T* target = to.origin[code_of_face(f)] + x + y * pitch + z * to.plane[code_of_face(f)];
        const int first = f == 1 ? n[0] - to.depth - x : 0, last = f == 0 ? min(valid, to.depth - x) : valid;
#pragma unroll
        for (int r = 0; r < Rows; ++r, target += pitch) {
            if ((rows >> r & 1) == 0) continue;
            if (first <= 0 && last >= N && reinterpret_cast<std::uintptr_t>(target) % sizeof(cells[r]) == 0) {
                *reinterpret_cast<Cells<T, N>*>(target) = cells[r];
            } else {
#pragma unroll
                for (int i = 0; i < N; ++i) {
                    if (i >= first && i < last) target[i] = cells[r].v[i];
                }
            }
        }
    }
}

/// A stack of rows on its way from one place to another, by all `Threads` of a block: rows of `width` elements P.
template <class P, unsigned Threads>
struct RowCopy {
    const P* from;
    P* to;
    Index from_pitch, from_plane, to_pitch, to_plane;  ///< in elements
    unsigned width, rows, planes;

    /// Several at a time: one block has to fill a good part of a link, so loads must not wait for each other.
    __device__ void run(unsigned thread) const {
        constexpr int at_a_time = 4096 / Threads;
        // From element to element by carries: divisions would cost more than the copy.
        unsigned x = thread % width, y = thread / width % rows, z = thread / width / rows;
        const unsigned dx = Threads % width, dy = Threads / width % rows, dz = Threads / width / rows;
        while (z < planes) {
            P value[at_a_time];
            P* target[at_a_time];
#pragma unroll
            for (int j = 0; j < at_a_time; ++j) {
                target[j] = nullptr;
                if (z < planes) {
                    value[j] = from[x + y * from_pitch + z * from_plane];
                    target[j] = to + x + y * to_pitch + z * to_plane;
                }
                x += dx;
                y += dy;
                z += dz;
                if (x >= width) x -= width, ++y;
                if (y >= rows) y -= rows, ++z;
            }
#pragma unroll
            for (int j = 0; j < at_a_time; ++j) {
                if (target[j] != nullptr) *target[j] = value[j];
            }
        }
    }
};

/// The cells of a window that neighbours across z faces, edges and corners need go from this rank's field to their halos, by all
/// `Threads` of the block that has just computed them: what it reads is in its own L1 or the L2.
template <unsigned Threads, class T>
__device__ inline void push_layers(const LayerTargets<T>& to, const T* field, Index pitch, Index plane, const int (&n)[3],
                                   const Window& w, int z_lo, int z_hi, unsigned thread) {
    const Index extent[3] = {n[0], n[1], n[2]};
    for (int code = 0; code < Direction::count; ++code) {
        if (to.origin[code] == nullptr) continue;
        const int offset[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
        const bool face = abs(offset[0]) + abs(offset[1]) + abs(offset[2]) == 1;
        if (face && offset[2] == 0) continue;
        int lo[3] = {w.x_lo, w.y_lo, z_lo}, hi[3] = {w.x_hi, w.y_hi, z_hi};
        for (int a = 0; a < 3; ++a) {
            if (offset[a] < 0) hi[a] = min(hi[a], to.depth);
            if (offset[a] > 0) lo[a] = max(lo[a], n[a] - to.depth);
        }
        if (lo[0] >= hi[0] || lo[1] >= hi[1] || lo[2] >= hi[2]) continue;
        const unsigned width = static_cast<unsigned>(hi[0] - lo[0]), rows = static_cast<unsigned>(hi[1] - lo[1]);
        const unsigned planes = static_cast<unsigned>(hi[2] - lo[2]);
        const T* source = field + lo[0] + lo[1] * pitch + lo[2] * plane;
        T* target = to.origin[code] + lo[0] + lo[1] * to.pitch[code] + lo[2] * to.plane[code];
        using P = Pack<T>;
        constexpr unsigned pack = sizeof(P) / sizeof(T);
        const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(P) == 0; };
        if (face && width % pack == 0 && aligned(source) && aligned(target)) {  // pitches of such rows are multiples of 16 bytes
            RowCopy<P, Threads>{reinterpret_cast<const P*>(source),
                                reinterpret_cast<P*>(target),
                                pitch / pack,
                                plane / pack,
                                to.pitch[code] / pack,
                                to.plane[code] / pack,
                                width / pack,
                                rows,
                                planes}
                .run(thread);
        } else if (face) {
            RowCopy<T, Threads>{source, target, pitch, plane, to.pitch[code], to.plane[code], width, rows, planes}.run(thread);
        } else {
            for (unsigned i = thread; i < width * rows * planes; i += Threads) {
                const unsigned x = i % width, y = i / width % rows, z = i / width / rows;
                if (needed_towards(offset, extent, to.depth, lo[0] + x, lo[1] + y, lo[2] + z))
                    target[x + y * to.pitch[code] + z * to.plane[code]] = source[x + y * pitch + z * plane];
            }
        }
    }
}

}  // namespace jacobi::cuda
