// How a pass of one sweep walks a block: tiles of columns, and the planes that a thread block marches. Host and device.
#pragma once

#include <vector>

#include "geometry.hpp"

namespace jacobi::cuda {

/// A tile by its place in the grid of tiles.
struct MarchTile {
    int x, y, z;
};

/// Tiles of `width` x `height` columns and `chunk` planes cover the block; those at its + ends may be smaller. Blocks start in
/// the order x, rows of a strip, chunks, strips: what is in flight at a time is a few neighbouring planes of one strip, so memory
/// sees few distant streams, and the planes that two chunks share are still in the L2 when the second comes.
struct MarchShape {
    int n[3];           ///< cells of the block
    int width, height;  ///< of a tile, in cells: a property of the kernel
    int chunk;          ///< planes of a tile
    int tiles[3];       ///< of the block along x, y, z
    int strips;         ///< pieces of the y axis
    int strip_tiles;    ///< tiles of a strip; the last one may have fewer
};

constexpr int tiles_for(int n, int unit) { return (n + unit - 1) / unit; }

/// A shape with about this many planes a tile and strips: within what a grid of thread blocks can be.
inline MarchShape march_shape(const int (&n)[3], int width, int height, int chunk, int strips) {
    constexpr int most = 65535;  // of gridDim.y and gridDim.z
    MarchShape s{};
    for (int a = 0; a < 3; ++a) s.n[a] = n[a];
    s.width = width;
    s.height = height;
    s.chunk = chunk < n[2] ? chunk : n[2];
    if (tiles_for(n[2], s.chunk) > most) s.chunk = tiles_for(n[2], most);
    const int units[3] = {width, height, s.chunk};
    for (int a = 0; a < 3; ++a) s.tiles[a] = tiles_for(n[a], units[a]);
    const int fewest = tiles_for(s.tiles[1], most);
    strips = strips < s.tiles[1] ? strips : s.tiles[1];
    s.strips = strips > fewest ? strips : fewest;
    s.strip_tiles = tiles_for(s.tiles[1], s.strips);
    return s;
}

/// Shapes worth measuring. On an H200 four or five planes a tile were best in all sizes, and strips of 2 MB a plane where planes
/// are large and doubles (kernels/README.md); `plane_bytes`: of the whole block.
inline std::vector<MarchShape> promising_shapes(const int (&n)[3], int width, int height, double plane_bytes) {
    constexpr double megabyte = 1 << 20;
    std::vector<MarchShape> shapes;
    for (const int chunk : {4, 5, 6}) {
        shapes.push_back(march_shape(n, width, height, chunk, 1));
        if (plane_bytes > 4 * megabyte)
            shapes.push_back(march_shape(n, width, height, chunk, static_cast<int>(plane_bytes / (2 * megabyte))));
    }
    return shapes;
}

/// The tiles that touch a neighbour: they read its halo, and it needs cells of theirs. All others are the box [lo, hi) of tiles.
struct TouchingTiles {
    int lo[3], hi[3];
    int per_plane;   ///< that touch along x or y only, in a plane of tiles
    unsigned count;  ///< of those that touch
    unsigned others;
};

/// `connected`: the faces with a neighbour, a bit each.
inline TouchingTiles touching_tiles(const MarchShape& s, unsigned connected) {
    TouchingTiles t{};
    for (int a = 0; a < 3; ++a) {
        t.lo[a] = (connected >> (2 * a) & 1u) != 0 ? 1 : 0;
        t.hi[a] = s.tiles[a] - ((connected >> (2 * a + 1) & 1u) != 0 ? 1 : 0);
        if (t.hi[a] < t.lo[a]) t.hi[a] = t.lo[a];  // one tile, both neighbours
    }
    const int inner[3] = {t.hi[0] - t.lo[0], t.hi[1] - t.lo[1], t.hi[2] - t.lo[2]};
    t.per_plane = s.tiles[0] * s.tiles[1] - inner[0] * inner[1];
    t.others = static_cast<unsigned>(inner[0]) * static_cast<unsigned>(inner[1]) * static_cast<unsigned>(inner[2]);
    t.count =
        static_cast<unsigned>(s.tiles[0]) * static_cast<unsigned>(s.tiles[1]) * static_cast<unsigned>(s.tiles[2]) - t.others;
    return t;
}

JACOBI_HD constexpr bool touches(const TouchingTiles& t, const MarchTile& tile) {
    return tile.x < t.lo[0] || tile.x >= t.hi[0] || tile.y < t.lo[1] || tile.y >= t.hi[1] || tile.z < t.lo[2] ||
           tile.z >= t.hi[2];
}

/// Number k of all tiles, those that touch first. By arithmetic: a list in memory would cost every thread block a trip there
/// before it can start.
JACOBI_HD constexpr MarchTile tile_of(const MarchShape& s, const TouchingTiles& t, unsigned number) {
    int k = static_cast<int>(number);
    const int X = s.tiles[0], plane = X * s.tiles[1];
    const int inner[3] = {t.hi[0] - t.lo[0], t.hi[1] - t.lo[1], t.hi[2] - t.lo[2]};
    if (number >= t.count) {
        k -= static_cast<int>(t.count);
        return {t.lo[0] + k % inner[0], t.lo[1] + k / inner[0] % inner[1], t.lo[2] + k / inner[0] / inner[1]};
    }
    const int ends = s.tiles[2] - inner[2];  // planes of tiles that touch along z
    if (k < ends * plane) {
        const int z = k / plane, row = k % plane;
        return {row % X, row / X, z < t.lo[2] ? z : z + inner[2]};
    }
    k -= ends * plane;
    const int z = t.lo[2] + k / t.per_plane, whole_rows = s.tiles[1] - inner[1];
    k %= t.per_plane;
    if (k < whole_rows * X) {
        const int y = k / X;
        return {k % X, y < t.lo[1] ? y : y + inner[1], z};
    }
    k -= whole_rows * X;
    const int side = X - inner[0], x = k % side;
    return {x < t.lo[0] ? x : x + inner[0], t.lo[1] + k / side, z};
}

}  // namespace jacobi::cuda
