// Temporal blocking: several sweeps of a range in one pass through memory. Part of sweep_isa.inl.
//
// Level 0 is the field u, level s the field after s sweeps; the last level goes to `out`. A tile of x by y cells marches along z.
// At each step level s does plane z - s, and the rows of all levels are done together: the cell above that level s + 1 needs has
// just been made and is in a register, the rows of its own plane and of the one below are in the core's second cache.
// Tiles and threads share nothing. Each computes the rims of its lower levels for itself, since a cell's bits do not depend on
// who does it.

template <class T, bool Rhs>
class TemporalTile {
    using Wide = typename Widest<T>::type;
    static constexpr std::int64_t lanes = Wide::lanes;

 public:
    TemporalTile(const SweepArgs<T>& args, const Levels& levels, const TemporalPass& pass, bool stream)
        : args_(args),
          levels_(levels),
          stream_(stream),
          longest_piece_((pass.scratch_shared ? 4608 : 2304) / static_cast<std::int64_t>(sizeof(T))),
          kernel_(args),
          ring_(levels.tile.hi[0] - levels.tile.lo[0], levels.tile.hi[1] - levels.tile.lo[1], levels.depth),
          ring_origin_(static_cast<T*>(pass.scratch) + line<T> - down_to(levels.lo(1, 0), line<T>) -
                       levels.lo(1, 1) * ring_.pitch) {}

    void march() const {
        set_sides();
        const int depth = levels_.depth;
        const std::int64_t x0 = down_to(levels_.lo(1, 0), line<T>), x1 = levels_.hi(1, 0);
        const std::int64_t pieces = (x1 - x0 + longest_piece_ - 1) / longest_piece_;
        const std::int64_t width = up_to((x1 - x0 + pieces - 1) / pieces, line<T>);
        for (std::int64_t z = levels_.lo(1, 2); z < levels_.tile.hi[2] + depth - 1; ++z) {
            Step steps[most_sweeps];
            int count = 0;
            for (int level = 1; level <= depth; ++level) {
                const std::int64_t at = z - (level - 1);
                if (at >= levels_.lo(level, 2) && at < levels_.hi(level, 2)) steps[count++] = step(level, at);
            }
            // Within a step a level needs of the one below only the cell above, so that rows may be cut without rims.
            for (std::int64_t x = x0; x < x1; x += width) {
                for (std::int64_t y = levels_.lo(1, 1); y < levels_.hi(1, 1); ++y) {
                    // The field's plane above, a little ahead.
                    const T* ahead = args_.u + (y + rows_ahead) * args_.pitch + (z + 1) * args_.plane;
                    levels_of_row(steps, count, y, {x, x + width < x1 ? x + width : x1}, ahead);
                }
            }
        }
    }

 private:
    static constexpr std::int64_t rows_ahead = 2;  // measured: kernels/README.md

    struct Piece {
        std::int64_t lo, hi;
    };

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

    LevelRow<T> rows(const Step& s, std::int64_t y) const {
        return {s.centre.row(y),
                (y > levels_.limits.lo[1] ? s.centre : s.beyond).row(y - 1),
                (y + 1 < levels_.limits.hi[1] ? s.centre : s.beyond).row(y + 1),
                s.below.row(y),
                s.above.row(y),
                Rhs ? s.b + y * args_.pitch : args_.u,
                s.out.row(y),
                s.centre.pitch};
    }

    /// Row y of all levels that have one, the lower first.
    void levels_of_row(const Step* steps, int count, std::int64_t y, const Piece& piece, const T* ahead) const {
        // Where levels are missing, at ends of the march and in rims, they are the first or the last of them.
        const auto has = [y](const Step& s) { return y >= s.y0 && y < s.y1; };
        const Step* end = steps + count;
        while (steps < end && !has(*steps)) ++steps;
        while (steps < end && !has(end[-1])) --end;
        const bool inside = y > levels_.limits.lo[1] && y + 1 < levels_.limits.hi[1];
        while (steps < end) {
            const int most = end - steps < 4 ? static_cast<int>(end - steps) : 4;
            int n = 1;
            if (inside && most > 1) {
                n = 2;
                while (n < most && steps[n - 1].out.base == steps[n - 1].below.base) ++n;
            }
            n == 1 ? row(*steps, y, piece.lo, piece.hi, ahead) : successive(steps, n, y, piece, ahead);
            steps += n;
        }
    }

    /// n levels together, over all vectors that hold cells of the first, which has the most. In a rim the others compute cells
    /// there that nothing depends on, over cells of the ring that nobody reads again: cheaper than short rows one by one. Only
    /// what the last level stores in the field ends where its cells do.
    void successive(const Step* steps, int n, std::int64_t y, const Piece& piece, const T* ahead) const {
        const Piece all = cut(piece, steps[0]), top = cut(piece, steps[n - 1]);
        if (all.lo >= all.hi) return;
        const bool last = steps[n - 1].last;
        const std::int64_t x0 = down_to(all.lo, lanes), x1 = up_to(all.hi, lanes);
        const Piece kept = last ? Piece{up_to(top.lo, lanes), down_to(top.hi, lanes)} : Piece{x0, x1};
        LevelRow<T> r[4];
        for (int i = 0; i < n; ++i) r[i] = rows(steps[i], y);
        const bool stream = last && stream_;
        const auto run = [&]<int Count>() {
            stream ? kernel_.template several<Count, true>(r, x0, x1, kept.lo, kept.hi, ahead + x0)
                   : kernel_.template several<Count, false>(r, x0, x1, kept.lo, kept.hi, ahead + x0);
        };
        if (n == 2) run.template operator()<2>();
        if (n == 3) run.template operator()<3>();
        if (n == 4) run.template operator()<4>();
        for (int i = 0; i < (last ? n - 1 : n); ++i) {
            const Piece cells = cut(piece, steps[i]);
            keep_sides(r[i].out, steps[i].beyond.row(y), cells.lo, cells.hi);
        }
        if (!last) return;
        if (kept.lo >= kept.hi) return row(steps[n - 1], y, piece.lo, piece.hi, ahead);
        row(steps[n - 1], y, piece.lo, kept.lo, ahead);
        row(steps[n - 1], y, kept.hi, piece.hi, ahead);
    }
    static Piece cut(const Piece& piece, const Step& s) {
        return {piece.lo > s.x0 ? piece.lo : s.x0, piece.hi < s.x1 ? piece.hi : s.x1};
    }

    /// One level's cells from x0 to x1.
    void row(const Step& s, std::int64_t y, std::int64_t x0, std::int64_t x1, const T* ahead) const {
        if (x0 < s.x0) x0 = s.x0;
        if (x1 > s.x1) x1 = s.x1;
        if (x0 >= x1) return;
        const LevelRow<T> r = rows(s, y);
        if (s.last) {
            last_row(r, x0, x1, ahead);
        } else {
            const std::int64_t first = down_to(x0, lanes);
            kernel_.template one<false>(r, first, up_to(x1, lanes), ahead + first);
            keep_sides(r.out, s.beyond.row(y), x0, x1);
        }
    }

    void last_row(const LevelRow<T>& r, std::int64_t x0, std::int64_t x1, const T* ahead) const {
        const std::int64_t first = up_to(x0, lanes), last = down_to(x1, lanes);
        if (first > last) return part(r, last, x0, x1);
        if (x0 < first) part(r, first - lanes, x0, first);
        stream_ ? kernel_.template one<true>(r, first, last, ahead + first)
                : kernel_.template one<false>(r, first, last, ahead + first);
        if (last < x1) part(r, last, last, x1);
    }
    /// Cells x0 to x1 of the vector at x.
    void part(LevelRow<T> r, std::int64_t x, std::int64_t x0, std::int64_t x1) const {
        T values[lanes];
        T* const out = r.out;
        r.out = values - x;
        kernel_.template one<false>(r, x, x + lanes, r.centre + x);
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
    /// Cells of a row that the first cache has room for on all levels. Where the ring lies in a cache that is farther away,
    /// longer streams count for more (kernels/README.md).
    std::int64_t longest_piece_;
    LevelRows<T, Rhs> kernel_;
    Ring<T> ring_;
    T* ring_origin_;  ///< cell (0, 0) of the first place
};

template <class T, bool Rhs>
void sweeps_range(const SweepArgs<T>& args, const Range& r, const TemporalPass& pass, bool stream) {
    const TileShape shape = choose_tile<T>(r.hi[0] - r.lo[0], r.hi[1] - r.lo[1], pass.depth, Rhs, pass.scratch_bytes);
    const auto end = [](std::int64_t at, std::int64_t most) { return at < most ? at : most; };
    for (std::int64_t y = r.lo[1]; y < r.hi[1]; y += shape.y) {
        for (std::int64_t x = r.lo[0]; x < r.hi[0];) {
            const std::int64_t next = end(down_to(x + shape.x, line<T>), r.hi[0]);
            const Levels levels{{{x, y, r.lo[2]}, {next, end(y + shape.y, r.hi[1]), r.hi[2]}}, pass.limits, pass.depth};
            TemporalTile<T, Rhs>(args, levels, pass, stream).march();
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
