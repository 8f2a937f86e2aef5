// Temporal blocking: several sweeps of a range in one pass through memory. Part of sweep_isa.inl.
//
// Level 0 is the field u, level s the field after s sweeps; the last level goes to `out`. A tile of x by y cells marches along z.
// At each step level s does plane z - s, and the rows of all levels are done one after the other: the row above that level s + 1
// needs has just been written and is in the core's first cache, the rows of its own plane and of the one below are in the second.
// Tiles and threads share nothing. Each computes the rims of its lower levels for itself, since a cell's bits do not depend on
// who does it.

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

template <class T, bool Rhs>
class TemporalTile {
    using Wide = typename Widest<T>::type;
    static constexpr std::int64_t lanes = Wide::lanes;

 public:
    TemporalTile(const SweepArgs<T>& args, const Levels& levels, T* scratch, bool stream)
        : args_(args),
          levels_(levels),
          stream_(stream),
          ring_(levels.tile.hi[0] - levels.tile.lo[0], levels.tile.hi[1] - levels.tile.lo[1], levels.depth),
          ring_origin_(scratch + line<T> - down_to(levels.lo(1, 0), line<T>) - levels.lo(1, 1) * ring_.pitch) {}

    void march() const {
        set_sides();
        const int depth = levels_.depth;
        const std::int64_t share = (levels_.hi(1, 0) - levels_.lo(1, 0) + depth - 1) / depth;
        for (std::int64_t z = levels_.lo(1, 2); z < levels_.tile.hi[2] + depth - 1; ++z) {
            Step steps[most_sweeps];
            int count = 0;
            for (int level = 1; level <= depth; ++level) {
                const std::int64_t at = z - (level - 1);
                if (at >= levels_.lo(level, 2) && at < levels_.hi(level, 2)) steps[count++] = step(level, at);
            }
            for (std::int64_t y = levels_.lo(1, 1); y < levels_.hi(1, 1); ++y) {
                // The field's plane above, a little ahead: all levels ask for a share, so that reads from memory never stop.
                const T* ahead = args_.u + (y + rows_ahead) * args_.pitch + (z + 1) * args_.plane + levels_.lo(1, 0);
                for (int i = 0; i < count; ++i, ahead += share) {
                    if (y >= steps[i].y0 && y < steps[i].y1) row(steps[i], y, ahead);
                }
            }
        }
    }

 private:
    static constexpr std::int64_t rows_ahead = 2;  // measured: kernels/README.md

    /// A plane of some level: row y at base + y pitch.
    struct Plane {
        T* base;
        std::int64_t pitch;
        T* row(std::int64_t y) const { return base + y * pitch; }
    };
    Plane field(std::int64_t z) const { return {const_cast<T*>(args_.u) + z * args_.plane, args_.pitch}; }
    Plane place(std::int64_t i) const { return {ring_origin_ + i * ring_.plane, ring_.pitch}; }
    /// Plane of a level below the last. What lies beyond the limits never changes and is read from the field.
    Plane plane(int level, std::int64_t z) const {
        if (level == 0 || z < levels_.limits.lo[2] || z >= levels_.limits.hi[2]) return field(z);
        // Level s + 1 writes its plane z over plane z - 1 of level s, for which z - level is the same. Places are as many as
        // steps that one is alive, the step included in which the last level reads it and level 1, first in that step, has a new
        // one.
        const std::int64_t i = (z - level) % ring_.places;
        return place(i < 0 ? i + ring_.places : i);
    }

    /// What one level does in a step of the march.
    struct Step {
        Plane centre, below, above, out;
        Plane beyond;  ///< the field's plane, for rows beyond the limits
        const T* b;
        std::int64_t y0, y1, x0, x1;
        bool last;
    };
    Step step(int level, std::int64_t z) const {
        const bool last = level == levels_.depth;
        return {plane(level - 1, z),
                plane(level - 1, z - 1),
                plane(level - 1, z + 1),
                last ? Plane{args_.out + z * args_.plane, args_.pitch} : plane(level, z),
                field(z),
                Rhs ? args_.b + z * args_.plane : nullptr,
                levels_.lo(level, 1),
                levels_.hi(level, 1),
                levels_.lo(level, 0),
                levels_.hi(level, 0),
                last};
    }

    /// The rows that go into one.
    struct Rows {
        const T *centre, *ym, *yp, *zm, *zp, *b;
    };
    void row(const Step& s, std::int64_t y, const T* ahead) const {
        const Rows rows{s.centre.row(y),
                        (y > levels_.limits.lo[1] ? s.centre : s.beyond).row(y - 1),
                        (y + 1 < levels_.limits.hi[1] ? s.centre : s.beyond).row(y + 1),
                        s.below.row(y),
                        s.above.row(y),
                        Rhs ? s.b + y * args_.pitch : nullptr};
        T* out = s.out.row(y);
        if (s.last) {
            last_row(rows, out, s.x0, s.x1, ahead);
        } else {
            vectors<false>(rows, out, down_to(s.x0, lanes), up_to(s.x1, lanes), ahead);
            keep_sides(out, s.beyond.row(y), s.x0, s.x1);
        }
    }

    /// Whole vectors from x0 to x1, which are multiples of their width.
    template <bool Stream>
    void vectors(const Rows& rows, T* out, std::int64_t x0, std::int64_t x1, const T* ahead) const {
        const Wide cx = Wide::all(args_.cx), cy = Wide::all(args_.cy), cz = Wide::all(args_.cz);
        const Rows r = rows;  // a copy: `out` may not alias it
        const std::int64_t stride = (lanes + levels_.depth - 1) / levels_.depth;
        Wide left = Wide::load(r.centre + x0 - lanes), centre = Wide::load(r.centre + x0);
        for (std::int64_t x = x0; x < x1; x += lanes, ahead += stride) {
            __builtin_prefetch(ahead, 0, 2);
            const Wide right = Wide::load(r.centre + x + lanes);
            const Wide sides = left_of(left, centre, r.centre + x) + right_of(centre, right, r.centre + x);
            Wide sum;
            if constexpr (Rhs) {
                sum = fma(cx, sides, Wide::load(r.b + x));
            } else {
                sum = cx * sides;
            }
            sum = fma(cy, Wide::load(r.ym + x) + Wide::load(r.yp + x), sum);
            sum = fma(cz, Wide::load(r.zm + x), sum);
            sum = fma(cz, Wide::load(r.zp + x), sum);
            if constexpr (Stream) {
                sum.stream(out + x);
            } else {
                sum.store(out + x);
            }
            left = centre;
            centre = right;
        }
    }

    void last_row(const Rows& r, T* out, std::int64_t x0, std::int64_t x1, const T* ahead) const {
        const std::int64_t first = up_to(x0, lanes), last = down_to(x1, lanes);
        if (first > last) return part(r, out, last, x0, x1);
        if (x0 < first) part(r, out, first - lanes, x0, first);
        if (stream_) {
            vectors<true>(r, out, first, last, ahead);
        } else {
            vectors<false>(r, out, first, last, ahead);
        }
        if (last < x1) part(r, out, last, last, x1);
    }
    /// Cells x0 to x1 of the vector at x.
    void part(const Rows& r, T* out, std::int64_t x, std::int64_t x0, std::int64_t x1) const {
        T values[lanes];
        vectors<false>(r, values - x, x, x + lanes, r.centre);
        for (; x0 < x1; ++x0) out[x0] = values[x0 - x];
    }

    /// The cells beside the limits in x are the same on all levels and in all planes.
    void set_sides() const {
        const std::int64_t lo = levels_.limits.lo[0], hi = levels_.limits.hi[0];
        for (std::int64_t y = levels_.lo(1, 1); y < levels_.hi(1, 1); ++y) {
            const T* u = field(levels_.tile.lo[2]).row(y);
            for (std::int64_t i = 0; i < ring_.places; ++i) {
                if (levels_.lo(1, 0) == lo) place(i).row(y)[lo - 1] = u[lo - 1];
                if (levels_.hi(1, 0) == hi) place(i).row(y)[hi] = u[hi];
            }
        }
    }
    /// A whole vector may have run over them.
    void keep_sides(T* out, const T* u, std::int64_t x0, std::int64_t x1) const {
        if (x0 == levels_.limits.lo[0] && x0 % lanes != 0) out[x0 - 1] = u[x0 - 1];
        if (x1 == levels_.limits.hi[0] && x1 % lanes != 0) out[x1] = u[x1];
    }

    const SweepArgs<T>& args_;
    const Levels& levels_;
    bool stream_;
    Ring<T> ring_;
    T* ring_origin_;  ///< cell (0, 0) of the first place
};

/// Cells of a tile along x and y.
struct TileShape {
    std::int64_t x, y;
};

/// The shape with the least work, in lines: rims are computed twice, a row costs about four lines on top of its own, a piece of a
/// row more, since the hardware prefetches beyond its end. What a step of the march touches must stay in the cache.
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
        const double work = (static_cast<double>(x) / line<T> + (parts > 1 ? 7.5 : 0.0) + 4) * static_cast<double>(parts) *
                            static_cast<double>((y + (cuts > 1 ? rim / 2 : 0)) * cuts);
        if (work < least) {
            least = work;
            best = {x, y};
        }
    }
    return best;
}

template <class T, bool Rhs>
void sweeps_range(const SweepArgs<T>& args, const Range& r, const TemporalPass& pass, bool stream) {
    const TileShape shape = choose_tile<T>(r.hi[0] - r.lo[0], r.hi[1] - r.lo[1], pass.depth, Rhs, pass.scratch_bytes);
    const auto end = [](std::int64_t at, std::int64_t most) { return at < most ? at : most; };
    for (std::int64_t y = r.lo[1]; y < r.hi[1]; y += shape.y) {
        for (std::int64_t x = r.lo[0]; x < r.hi[0];) {
            const std::int64_t next = end(down_to(x + shape.x, line<T>), r.hi[0]);
            const Levels levels{{{x, y, r.lo[2]}, {next, end(y + shape.y, r.hi[1]), r.hi[2]}}, pass.limits, pass.depth};
            TemporalTile<T, Rhs>(args, levels, static_cast<T*>(pass.scratch), stream).march();
            x = next;
        }
    }
    if (stream) store_fence();
}

template <class T>
void sweeps(const SweepArgs<T>& args, const Range& r, const TemporalPass& pass, bool stream) {
    if (r.hi[0] <= r.lo[0] || r.hi[1] <= r.lo[1] || r.hi[2] <= r.lo[2]) return;
    args.b ? sweeps_range<T, true>(args, r, pass, stream) : sweeps_range<T, false>(args, r, pass, stream);
}
