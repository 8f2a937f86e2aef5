// Stores boundary layers of any depth into the neighbours' halos: faces, edges and corners.
#pragma once

#include "copy_async.cuh"
#include "layers.hpp"
#include "temporal_launch.cuh"

namespace jacobi::cuda {

/// The segment's cells that neighbours need go from this rank's field to their halos, by all `threads` of the block that has just
/// computed them: what it reads is in its own L1 or the L2.
template <class T>
__device__ inline void push_layers(const LayerTargets<T>& to, const T* field, Index pitch, Index plane, const int (&n)[3],
                                   const Segment& s, unsigned thread, unsigned threads) {
    const Index extent[3] = {n[0], n[1], n[2]};
    for (int code = 0; code < Direction::count; ++code) {
        if (to.origin[code] == nullptr) continue;
        const int offset[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
        int lo[3] = {s.x_lo, s.y_lo, s.z_lo}, hi[3] = {s.x_hi, s.y_hi, s.z_hi};
        for (int a = 0; a < 3; ++a) {
            if (offset[a] < 0) hi[a] = min(hi[a], to.depth);
            if (offset[a] > 0) lo[a] = max(lo[a], n[a] - to.depth);
        }
        if (lo[0] >= hi[0] || lo[1] >= hi[1] || lo[2] >= hi[2]) continue;
        const unsigned width = static_cast<unsigned>(hi[0] - lo[0]), rows = static_cast<unsigned>(hi[1] - lo[1]);
        const unsigned cells = width * rows * static_cast<unsigned>(hi[2] - lo[2]);
        for (unsigned i = thread; i < cells; i += threads) {
            const int x = lo[0] + static_cast<int>(i % width);
            const int y = lo[1] + static_cast<int>(i / width % rows);
            const int z = lo[2] + static_cast<int>(i / width / rows);
            if (needed_towards(offset, extent, to.depth, x, y, z))
                to.origin[code][x + y * to.pitch[code] + z * to.plane[code]] = field[x + y * pitch + z * plane];
        }
    }
}

}  // namespace jacobi::cuda
