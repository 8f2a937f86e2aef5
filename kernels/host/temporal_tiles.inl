// What passes of several sweeps cover and where it lies: levels, the ring of planes, tiles. Part of sweep_isa.inl.

/// What each level of a tile covers: the last one the tile, every other a layer more than the next, as far as cells are advanced.
struct Levels {
    Range tile, limits;
    int depth;

    std::int64_t lo(int level, int axis) const {
        const std::int64_t grown = tile.lo[axis] - (depth - level);
        return grown > limits.lo[axis] ? grown : limits.lo[axis];
    }
    std::int64_t hi(int level, int axis) const {
        const std::int64_t grown = tile.hi[axis] + (depth - level);
        return grown < limits.hi[axis] ? grown : limits.hi[axis];
    }
};

constexpr std::int64_t down_to(std::int64_t x, std::int64_t unit) { return (x >= 0 ? x : x - unit + 1) / unit * unit; }
constexpr std::int64_t up_to(std::int64_t x, std::int64_t unit) { return down_to(x + unit - 1, unit); }

/// Elements of a line of the caches.
template <class T>
constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));

/// Where the levels between the first and the last live: a ring of planes. Plane z of level s is dead once plane z + 1 of level
/// s + 1 has been computed from it, which takes its place row by row while the first cache still has it. So a place holds plane z
/// of level 1, then z + 1 of level 2, and so on, 2 depth - 1 steps long.
template <class T>
struct Ring {
    std::int64_t pitch, plane, places;

    /// For tiles of nx by ny cells. Rows have room for whole vectors at both ends and one beside them, and an odd number of
    /// lines: rows and planes then do not meet in the same sets of a cache.
    Ring(std::int64_t nx, std::int64_t ny, int depth)
        : pitch((((up_to(nx, line<T>) + 2 * up_to(depth - 1, line<T>)) / line<T> + 3) | 1) * line<T>),
          plane(pitch * (ny + 2 * (depth - 1))),
          places(2 * depth - 1) {}
};

/// Cells of a tile along x and y.
struct TileShape {
    std::int64_t x, y;
};

/// The shape with the least work, in lines: rims are read and computed twice, a row costs about four lines on top of its own, a
/// part of a row two more for its rims. What a step of the march touches must stay in the cache.
template <class T>
TileShape choose_tile(std::int64_t nx, std::int64_t ny, int depth, bool rhs, std::int64_t bytes) {
    TileShape best{line<T>, 1};
    double least = 1e30;
    const std::int64_t rim = 2 * (depth - 1);
    for (std::int64_t parts = 1; parts <= nx / line<T> + 1; ++parts) {
        const std::int64_t x = up_to((nx + parts - 1) / parts, line<T>);
        const Ring<T> ring(x, 1, depth);
        const std::int64_t row_bytes =
            ring.pitch * (ring.places + 3 + (rhs ? depth + 1 : 0)) * static_cast<std::int64_t>(sizeof(T));
        const std::int64_t rows = bytes / row_bytes - rim;
        if (rows < 1) continue;
        const std::int64_t cuts = (ny + rows - 1) / rows, y = (ny + cuts - 1) / cuts;
        const double work = (static_cast<double>(x) / line<T> + (parts > 1 ? 6 : 4)) * static_cast<double>(parts) *
                            static_cast<double>((y + (cuts > 1 ? depth : 0)) * cuts);
        if (work < least) {
            least = work;
            best = {x, y};
        }
    }
    return best;
}
