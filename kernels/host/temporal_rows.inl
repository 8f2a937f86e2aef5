// Rows of one level, and of several successive levels at once. Part of sweep_isa.inl.

/// The rows that go into one, and that one.
template <class T>
struct LevelRow {
    const T *centre, *ym, *yp, *zm, *zp, *b;
    T* out;
    std::int64_t pitch;  ///< from ym to centre and to yp, unless one of them is beyond the limits
};

template <class T, bool Rhs>
class LevelRows {
    using Wide = typename Widest<T>::type;
    using Row = LevelRow<T>;
    static constexpr std::int64_t lanes = Wide::lanes;

 public:
    explicit LevelRows(const SweepArgs<T>& args) : c_{Wide::all(args.cx), Wide::all(args.cy), Wide::all(args.cz)} {}

    /// Whole vectors from x0 to x1, which are multiples of their width. `ahead`: what to fetch for later, as long as this.
    template <bool Stream>
    void one(const Row& row, std::int64_t x0, std::int64_t x1, const T* ahead) const {
        const Row r = row;  // copies: `out` may not alias them
        const Coefficients c = c_;
        Sides sides(r.centre + x0);
        for (std::int64_t x = x0; x < x1; x += lanes, ahead += lanes) {
            __builtin_prefetch(ahead, 0, 2);
            const Wide sum = below(c, sides.next(r.centre + x), r.b + x, r.ym + x, r.yp + x, r.zm + x);
            put<Stream>(fma(c.z, Wide::load(r.zp + x), sum), r.out + x);
        }
    }

    /// The same for `Count` successive levels, vector by vector: what one level makes is the plane above of the next and goes on
    /// in a register. What they load, store and stream is spread evenly, and memory works while the second cache does. No row
    /// beside them may be beyond the limits, and levels between the first and the last are stored over their plane below: the
    /// addresses then fit the processor's registers. Of the last of them, vectors from kept_lo to kept_hi are stored.
    template <int Count, bool Stream>
    [[gnu::noinline]] void several(const Row* rows, std::int64_t x0, std::int64_t x1, std::int64_t kept_lo, std::int64_t kept_hi,
                                   const T* ahead) const {
        const Coefficients c = c_;
        static_assert(Count >= 2 && Count <= 4);
        const std::int64_t first_pitch = rows[0].pitch, pitch = rows[1].pitch;
        const auto at = [&](int i) { return rows[i < Count ? i : 0]; };
        Level l0(at(0), x0), l1(at(1), x0), l2(at(2), x0), l3(at(3), x0);
        const T* zp = rows[0].zp + x0;
        T* out0 = rows[0].out + x0;
        T* out = rows[Count - 1].out + x0;
        for (std::int64_t x = 0; x < x1 - x0; x += lanes) {
            __builtin_prefetch(ahead + x, 0, 2);
            Wide v = next(c, l0, x, first_pitch, Wide::load(zp + x));
            v.store(out0 + x);
            v = next(c, l1, x, pitch, v);
            if constexpr (Count > 2) {
                v.store(const_cast<T*>(l1.zm) + x);
                v = next(c, l2, x, pitch, v);
            }
            if constexpr (Count > 3) {
                v.store(const_cast<T*>(l2.zm) + x);
                v = next(c, l3, x, pitch, v);
            }
            if (x >= kept_lo - x0 && x < kept_hi - x0) put<Stream>(v, out + x);
        }
    }

 private:
    struct Coefficients {
        Wide x, y, z;
    };
    /// The sums of each cell's neighbours in x, vector by vector.
    struct Sides {
        Wide left, centre;
        explicit Sides(const T* first) : left(Wide::load(first - lanes)), centre(Wide::load(first)) {}
        [[gnu::always_inline]] Wide next(const T* at) {
            const Wide right = Wide::load(at + lanes);
            const Wide sum = left_of(left, centre, at) + right_of(centre, right, at);
            left = centre;
            centre = right;
            return sum;
        }
    };
    /// A level's row from some cell on.
    struct Level {
        const T *ym, *zm, *b;
        Sides sides;
        Level(const Row& r, std::int64_t x0) : ym(r.ym + x0), zm(r.zm + x0), b(r.b + x0), sides(r.centre + x0) {}
    };
    [[gnu::always_inline]] static Wide next(const Coefficients& c, Level& l, std::int64_t x, std::int64_t pitch, Wide zp) {
        const T* ym = l.ym + x;
        return fma(c.z, zp, below(c, l.sides.next(ym + pitch), l.b + x, ym, ym + 2 * pitch, l.zm + x));
    }

    /// The update but for the plane above (kernels/stencil.hpp states the contract of its order).
    [[gnu::always_inline]] static Wide below(const Coefficients& c, Wide sides, const T* b, const T* ym, const T* yp,
                                             const T* zm) {
        Wide sum;
        if constexpr (Rhs) {
            sum = fma(c.x, sides, Wide::load(b));
        } else {
            sum = c.x * sides;
        }
        sum = fma(c.y, Wide::load(ym) + Wide::load(yp), sum);
        return fma(c.z, Wide::load(zm), sum);
    }
    template <bool Stream>
    static void put(Wide v, T* out) {
        if constexpr (Stream) {
            v.stream(out);
        } else {
            v.store(out);
        }
    }

    Coefficients c_;
};
