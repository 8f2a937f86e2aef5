// Split of a block into the cells that neighbours need or that need neighbours (boundary) and the rest (interior).
#pragma once

#include <array>
#include <vector>

#include "geometry.hpp"

namespace jacobi {

struct Shell {
    std::vector<Box> boundary;  ///< disjoint; z slabs, then y slabs, then x slabs; none empty
    Box interior;               ///< may be empty
};

/// `depth` layers off each connected face; slabs on x faces are the next multiple of `x_unit` cells wide instead, so that they
/// and the interior beside them move whole memory sectors. Boundary and interior together are the block [0, extent), each cell
/// once.
inline Shell split_shell(const Index3& extent, const std::array<bool, face_count>& connected, Index x_unit, int depth) {
    const Index x_width = (depth + x_unit - 1) / x_unit * x_unit;
    Shell shell;
    Box rest{{0, 0, 0}, extent};
    for (const int axis : {2, 1, 0}) {
        const Index width = axis == 0 ? x_width : depth;
        for (const bool upper : {false, true}) {
            if (!connected[2 * axis + (upper ? 1 : 0)] || rest.empty()) continue;
            Box slab = rest;
            if (upper) {
                // The interior's end is kept on a multiple of the unit, the slab takes the remainder too.
                const Index cut = axis == 0 ? (rest.hi[0] - depth) / x_unit * x_unit : rest.hi[axis] - width;
                slab.lo[axis] = rest.hi[axis] = cut > rest.lo[axis] ? cut : rest.lo[axis];
            } else {
                const Index cut = rest.lo[axis] + width;
                slab.hi[axis] = rest.lo[axis] = cut < rest.hi[axis] ? cut : rest.hi[axis];
            }
            if (!slab.empty()) shell.boundary.push_back(slab);
        }
    }
    shell.interior = rest.empty() ? Box{} : rest;
    return shell;
}

}  // namespace jacobi
