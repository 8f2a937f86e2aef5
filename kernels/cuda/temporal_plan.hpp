// How a pass of several sweeps walks a block: windows of columns, and the planes for which thread blocks march them.
#pragma once

#include <array>
#include <vector>

#include "geometry.hpp"

namespace jacobi::cuda {

/// A window of columns and the cells of it that are stored: [x_lo, x_hi) x [y_lo, y_hi). The window itself starts at (x, y) and
/// may begin before and end behind them. Where it starts with the - face of y it must be the first of its thread block's warps.
struct Window {
    int x, y;
    int x_lo, x_hi, y_lo, y_hi;
};

/// What one thread block marches, from z_lo to z_hi: a window; or, where no more than a half or a quarter of one is needed,
/// several such parts of windows. They need not be neighbours in the field: a window's rim may be computed from anything.
struct Segment {
    static constexpr int most = 4;
    int z_lo, z_hi;
    int across, up;        ///< into how many parts the lanes of a warp, and the warps, are divided
    Window windows[most];  ///< across * up of them, x fastest; those that nothing is left for are empty

    constexpr int count() const { return across * up; }
};

/// What a window covers, in cells: a property of the kernel.
struct WindowShape {
    int width, height;  ///< of the window
    int unit;           ///< windows start on a multiple of it along x
    int margin;         ///< cells lost at the left and right side, a multiple of the unit; along y it is `depth`
    int depth;          ///< sweeps of the pass
    int sector = 1;  ///< cells of a sector of memory: what a window keeps along x ends there, for two windows that store into a
                     ///< part of one each make memory read the rest
};

/// Pieces of the z axis: of columns of windows at a connected face along x or y, and of the others. The former store layers into
/// neighbours, so theirs may be shorter.
struct ZChunks {
    int others, touching;

    ZChunks(int both = 1) : ZChunks(both, both) {}
    ZChunks(int of_others, int of_touching) : others(of_others), touching(of_touching) {}
    friend bool operator==(const ZChunks&, const ZChunks&) = default;
};

struct TemporalPlan {
    std::vector<Segment> segments;  ///< those that touch a neighbour first
    int touching = 0;               ///< how many those are
    ZChunks chunks;
};

/// Covers the block [0, n) with windows; z is cut into `chunks`. `connected`: the faces with a neighbour; a segment
/// touches it when it stores cells in the `halo` layers next to that face, so that the others neither read halos nor have cells
/// that neighbours need.
TemporalPlan plan_temporal(const std::array<int, 3>& n, const std::array<bool, face_count>& connected, int halo,
                           const WindowShape& window, ZChunks chunks);

/// Pieces of the z axis that are ever promising.
inline constexpr int most_chunks = 64;

/// Numbers of chunks worth measuring, the best by the model first: time ~ rounds of `processors` thread blocks times the planes
/// that each marches, ramp included.
std::vector<int> promising_chunks(const std::array<int, 3>& n, const std::array<bool, face_count>& connected,
                                  const WindowShape& window, int processors, int count);

}  // namespace jacobi::cuda
