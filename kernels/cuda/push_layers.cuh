// Stores boundary layers of any depth into the neighbours' halos: faces, edges and corners.
#pragma once

#include "backend.hpp"
#include "layers.hpp"
#include "pack.cuh"

namespace jacobi::cuda {

/// The neighbours' halos for one generation: HaloTargets with their parity resolved, only those that exist.
template <class T>
struct LayerTargets {
    struct Layer {
        T* origin;
        Index pitch, plane;
        int direction;
    };
    Layer layer[Direction::count];
    int count;
    int depth;  ///< layers
};

/// A stack of rows on its way from one place to another, by all `threads` of a block: rows of `width` elements P.
template <class P>
struct RowCopy {
    const P* from;
    P* to;
    Index from_pitch, from_plane, to_pitch, to_plane;  ///< in elements
    unsigned width, rows, planes;

    /// `at_a_time` loads a thread that do not wait for each other.
    template <int at_a_time>
    __device__ void run(unsigned thread, unsigned threads) const {
        const unsigned count = width * rows * planes;
        for (unsigned first = thread; first < count; first += at_a_time * threads) {
            P value[at_a_time];
            Index target[at_a_time];
#pragma unroll
            for (int j = 0; j < at_a_time; ++j) {
                const unsigned i = first + j * threads;
                if (i >= count) break;
                const unsigned x = i % width, y = i / width % rows, z = i / width / rows;
                value[j] = from[x + y * from_pitch + z * from_plane];
                target[j] = x + y * to_pitch + z * to_plane;
            }
#pragma unroll
            for (int j = 0; j < at_a_time; ++j) {
                if (first + j * threads < count) to[target[j]] = value[j];
            }
        }
    }
};

/// The cells [lo, hi) of a field that neighbours need go from there to their halos, by all `threads` of the block that has just
/// computed them, after a block barrier: what it reads is in its own L1 or the L2.
template <int at_a_time, class T>
__device__ inline void push_layers(const LayerTargets<T>& to, const T* field, Index pitch, Index plane, const int (&n)[3],
                                   const int (&tile_lo)[3], const int (&tile_hi)[3], unsigned thread, unsigned threads) {
    for (int k = 0; k < to.count; ++k) {
        const typename LayerTargets<T>::Layer& layer = to.layer[k];
        const int code = layer.direction;
        const int offset[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
        int lo[3], hi[3];
        for (int a = 0; a < 3; ++a) {
            lo[a] = offset[a] > 0 ? max(tile_lo[a], n[a] - to.depth) : tile_lo[a];
            hi[a] = offset[a] < 0 ? min(tile_hi[a], to.depth) : tile_hi[a];
        }
        if (lo[0] >= hi[0] || lo[1] >= hi[1] || lo[2] >= hi[2]) continue;
        const unsigned width = static_cast<unsigned>(hi[0] - lo[0]), rows = static_cast<unsigned>(hi[1] - lo[1]);
        const unsigned planes = static_cast<unsigned>(hi[2] - lo[2]);
        const T* source = field + lo[0] + lo[1] * pitch + lo[2] * plane;
        T* target = layer.origin + lo[0] + lo[1] * layer.pitch + lo[2] * layer.plane;
        const bool face = abs(offset[0]) + abs(offset[1]) + abs(offset[2]) == 1;
        using P = Pack<T>;
        constexpr unsigned pack = pack_cells<T>;
        const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(P) == 0; };
        if (face && width % pack == 0 && aligned(source) && aligned(target)) {  // pitches of such rows are multiples of 16 bytes
            RowCopy<P>{reinterpret_cast<const P*>(source),
                       reinterpret_cast<P*>(target),
                       pitch / pack,
                       plane / pack,
                       layer.pitch / pack,
                       layer.plane / pack,
                       width / pack,
                       rows,
                       planes}
                .template run<at_a_time>(thread, threads);
        } else if (face) {
            RowCopy<T>{source, target, pitch, plane, layer.pitch, layer.plane, width, rows, planes}.template run<at_a_time>(
                thread, threads);
        } else {
            const Index extent[3] = {n[0], n[1], n[2]};
            for (unsigned i = thread; i < width * rows * planes; i += threads) {
                const unsigned x = i % width, y = i / width % rows, z = i / width / rows;
                if (needed_towards(offset, extent, to.depth, lo[0] + x, lo[1] + y, lo[2] + z))
                    target[x + y * layer.pitch + z * layer.plane] = source[x + y * pitch + z * plane];
            }
        }
    }
}

}  // namespace jacobi::cuda
