// Which cells an edge carries.
#pragma once

#include "geometry.hpp"

namespace jacobi {

/// Local cells of a block that its neighbour in direction `d` has in a halo of `depth` layers.
constexpr Box sent_layer(const Index3& extent, Direction d, int depth) {
    Box box{{0, 0, 0}, extent};
    const auto offset = d.offset();
    for (int a = 0; a < 3; ++a) {
        if (offset[a] < 0) box.hi[a] = depth;
        if (offset[a] > 0) box.lo[a] = extent[a] - depth;
    }
    return box;
}

/// Local halo cells of a block that mirror its neighbour in direction `d`. Of the same extent as what that neighbour sends:
/// blocks that meet in `d` have equal extents along the axes that `d` does not move on.
constexpr Box halo_layer(const Index3& extent, Direction d, int depth) {
    Box box{{0, 0, 0}, extent};
    const auto offset = d.offset();
    for (int a = 0; a < 3; ++a) {
        if (offset[a] < 0) box.lo[a] = -depth, box.hi[a] = 0;
        if (offset[a] > 0) box.lo[a] = extent[a], box.hi[a] = extent[a] + depth;
    }
    return box;
}

}  // namespace jacobi
