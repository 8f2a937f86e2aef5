// How a pass of several sweeps walks a block: windows of columns, and the planes for which thread blocks march them.
#pragma once

#include <array>
#include <vector>

#include "geometry.hpp"

namespace jacobi::cuda {

/// A window of columns and the cells of it that one thread block computes and stores: [x_lo, x_hi) x [y_lo, y_hi) x [z_lo, z_hi).
/// The window itself starts at (x, y) and may begin before and end behind them.
struct Segment {
    int x, y;
    int x_lo, x_hi, y_lo, y_hi, z_lo, z_hi;
};

/// What a window covers, in cells: a property of the kernel.
struct WindowShape {
    int width, height;  ///< of the window
    int unit;           ///< windows start on a multiple of it along x
    int margin;         ///< cells lost at the left and right side, a multiple of the unit; along y it is `depth`
    int depth;          ///< sweeps of the pass
};

struct TemporalPlan {
    std::vector<Segment> segments;  ///< those that touch a neighbour first
    int touching = 0;               ///< how many those are
    int chunks = 1;                 ///< pieces of the z axis
};

/// Covers the block [0, n) with windows; z is cut into `chunks` pieces. `connected`: the faces with a neighbour; a segment
/// touches it when it has cells in the `halo` layers next to that face, so that the others neither read halos nor have cells that
/// neighbours need.
TemporalPlan plan_temporal(const std::array<int, 3>& n, const std::array<bool, face_count>& connected, int halo,
                           const WindowShape& window, int chunks);

/// Numbers of chunks worth measuring, the best by the model first: time ~ rounds of `processors` thread blocks times the planes
/// that each marches, ramp included.
std::vector<int> promising_chunks(const std::array<int, 3>& n, const std::array<bool, face_count>& connected,
                                  const WindowShape& window, int processors, int count);

}  // namespace jacobi::cuda
