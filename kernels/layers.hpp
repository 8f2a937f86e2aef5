// Halo layers: which cells of a block its neighbours need.
#pragma once

#include <vector>

#include "geometry.hpp"

namespace jacobi {

/// Axes along which a direction leaves the block: 1 for a face, 2 for an edge, 3 for a corner.
constexpr int axes_of(Direction direction) {
    int axes = 0;
    for (const int o : direction.offset()) axes += o != 0 ? 1 : 0;
    return axes;
}

/// The directions in which a block has neighbours that `depth` sweeps of a seven-point stencil reach: faces, edges from depth 2,
/// corners from depth 3. Faces first, in the order of face_names.
inline std::vector<Direction> directions_of_depth(int depth) {
    std::vector<Direction> directions;
    for (int axes = 1; axes <= 3 && axes <= depth; ++axes) {
        for (int f = 0; f < face_count && axes == 1; ++f) directions.push_back(Direction::face(f));
        for (int code = 0; code < Direction::count && axes > 1; ++code) {
            if (axes_of({code}) == axes) directions.push_back({code});
        }
    }
    return directions;
}

/// The smallest box around the cells of a block [0, extent) that the neighbour in a direction needs: `depth` layers on the axes
/// along which the direction leaves the block, everything on the others.
constexpr Box layers_towards(Direction direction, const Index3& extent, int depth) {
    Box box{{0, 0, 0}, extent};
    const auto offset = direction.offset();
    for (int a = 0; a < 3; ++a) {
        if (offset[a] < 0) box.hi[a] = depth < extent[a] ? depth : extent[a];
        if (offset[a] > 0) box.lo[a] = depth < extent[a] ? extent[a] - depth : 0;
    }
    return box;
}

/// The halo cells that mirror the neighbour in a direction: of the same extent as what that neighbour sends. (Blocks that meet in
/// a direction have equal extents along the axes that it does not move on.)
constexpr Box halo_towards(Direction direction, const Index3& extent, int depth) {
    Box box{{0, 0, 0}, extent};
    const auto offset = direction.offset();
    for (int a = 0; a < 3; ++a) {
        if (offset[a] < 0) box.lo[a] = -depth, box.hi[a] = 0;
        if (offset[a] > 0) box.lo[a] = extent[a], box.hi[a] = extent[a] + depth;
    }
    return box;
}

/// Of layers_towards, is (x, y, z) needed? The stencil's arms lie along the axes, so `depth` sweeps reach a cell whose distances
/// from the neighbour, one an axis and counted from 1, add up to at most `depth`.
JACOBI_HD constexpr bool needed_towards(const int offset[3], const Index extent[3], int depth, Index x, Index y, Index z) {
    const Index cell[3] = {x, y, z};
    Index distance = 0;
    for (int a = 0; a < 3; ++a) distance += offset[a] < 0 ? cell[a] + 1 : offset[a] > 0 ? extent[a] - cell[a] : 0;
    return distance <= depth;
}

}  // namespace jacobi
