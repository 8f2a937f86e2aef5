// Body of a translation unit that provides IsaKernels for one instruction set: included with JACOBI_ISA defined to the
// namespace's name and JACOBI_ISA_NAME to what people call it.
#include <cmath>
#include <cstring>

#include "simd.hpp"
#include "sweep_isa.hpp"

namespace jacobi::host::JACOBI_ISA {
namespace {

constexpr std::int64_t prefetch_bytes = 2048;  // measured: kernels/README.md

/// Some rows at the same place in `Planes` successive planes. A value of a plane that is not the first or the last of them is
/// loaded once for the three planes that it goes into, and several planes at a time are several streams from memory: one alone
/// does not use what a core can have under way.
template <class T, bool Rhs, int Planes>
struct Rows {
    const SweepArgs<T> args;  // a copy: no store can change it

    /// The update of one vector of cells of each plane, the first at element `at` (kernels/stencil.hpp states the contract of its
    /// order).
    template <class V, class Sink>
    void update(std::int64_t at, V cx, V cy, V cz, Sink&& sink) const {
        const T* u = args.u + at;
        V below = V::load(u - args.plane), centre = V::load(u);
        for (int k = 0; k < Planes; ++k, u += args.plane, at += args.plane) {
            const V above = V::load(u + args.plane);
            const V sides = V::load(u - 1) + V::load(u + 1);
            V sum;
            if constexpr (Rhs) {
                sum = fma(cx, sides, V::load(args.b + at));
            } else {
                sum = cx * sides;
            }
            sum = fma(cy, V::load(u - args.pitch) + V::load(u + args.pitch), sum);
            sum = fma(cz, below, sum);
            sink(at, fma(cz, above, sum));
            below = centre;
            centre = above;
        }
    }

    /// Hands each vector of updated cells x0 <= x < x1 to sink(element, vector); vectors in between start on a multiple of their
    /// width, so that they may be streamed.
    template <class Sink>
    void each(std::int64_t x0, std::int64_t x1, std::int64_t row, Sink&& sink) const {
        using Wide = typename Widest<T>::type;
        using One = Scalar<T>;
        constexpr std::int64_t ahead = prefetch_bytes / static_cast<std::int64_t>(sizeof(T));
        const Wide cx = Wide::all(args.cx), cy = Wide::all(args.cy), cz = Wide::all(args.cz);
        std::int64_t x = x0;
        const auto ends = [&](std::int64_t to) {
            for (; x < to; ++x) update(row + x, One::all(args.cx), One::all(args.cy), One::all(args.cz), sink);
        };
        const std::int64_t first = (x0 + Wide::lanes - 1) / Wide::lanes * Wide::lanes;
        ends(first < x1 ? first : x1);
        for (; x + Wide::lanes <= x1; x += Wide::lanes) {
            // What comes from memory: the next rows of all planes but the first, which the planes before this step's had above
            // them, and the row above. Rows lie one after the other, but each is too short for the hardware to run ahead into
            // the next. Into the second cache: the first one's few line buffers are wanted for loads.
            const T* u = args.u + row + x + ahead;
            for (int k = 1; k < Planes; ++k) __builtin_prefetch(u + k * args.plane + args.pitch, 0, 2);
            __builtin_prefetch(u + Planes * args.plane, 0, 2);
            update(row + x, cx, cy, cz, sink);
        }
        ends(x1);
    }
};

/// Steps of `Planes` planes from z on as long as they fit, then smaller ones.
template <class T, bool Rhs, int Planes, class Sink>
void march(const SweepArgs<T>& args, const Range& r, std::int64_t z, Sink&& sink) {
    for (; z + Planes <= r.hi[2]; z += Planes) {
        for (std::int64_t y = r.lo[1]; y < r.hi[1]; ++y) {
            Rows<T, Rhs, Planes>{args}.each(r.lo[0], r.hi[0], y * args.pitch + z * args.plane, sink);
        }
    }
    if constexpr (Planes > 1) march<T, Rhs, Planes / 2>(args, r, z, sink);
}

/// Hands the updated cells of a range to sink(element, vector), in y tiles small enough that a step's planes and the two beside
/// them stay in a core's own cache while z advances: each value then comes from memory once a sweep.
template <class T, bool Rhs, int Planes, class Sink>
void for_tiles(const SweepArgs<T>& args, const Range& r, Sink&& sink) {
    constexpr std::int64_t cache_bytes = 768 * 1024;
    std::int64_t tile = cache_bytes / ((Planes + 2) * args.pitch * static_cast<std::int64_t>(sizeof(T)));
    if (tile < 8) tile = 8;
    Range part = r;
    for (; part.lo[1] < r.hi[1]; part.lo[1] += tile) {
        part.hi[1] = part.lo[1] + tile < r.hi[1] ? part.lo[1] + tile : r.hi[1];
        march<T, Rhs, Planes>(args, part, r.lo[2], sink);
    }
}

/// The same with as many planes a step as the first cache has room for, three rows of each.
template <class T, bool Rhs, class Sink>
void for_cells(const SweepArgs<T>& args, const Range& r, Sink&& sink) {
    constexpr std::int64_t row_bytes_of_four = 2560;  // measured: kernels/README.md
    const bool four = (r.hi[0] - r.lo[0]) * static_cast<std::int64_t>(sizeof(T)) <= row_bytes_of_four;
    four ? for_tiles<T, Rhs, 4>(args, r, sink) : for_tiles<T, Rhs, 2>(args, r, sink);
}

template <class T, bool Rhs>
void sweep_range(const SweepArgs<T>& args, const Range& r, bool stream) {
    if (stream) {
        for_cells<T, Rhs>(args, r, [out = args.out](std::int64_t at, auto v) { v.stream(out + at); });
        store_fence();
    } else {
        for_cells<T, Rhs>(args, r, [out = args.out](std::int64_t at, auto v) { v.store(out + at); });
    }
}

template <class T>
void sweep(const SweepArgs<T>& args, const Range& range, bool stream) {
    args.b ? sweep_range<T, true>(args, range, stream) : sweep_range<T, false>(args, range, stream);
}

// Each uses the one before.
#include "temporal_tiles.inl"

#include "temporal_rows.inl"

#include "temporal_isa.inl"

inline std::uint64_t magnitude_bits(double r) {
    std::uint64_t bits;
    std::memcpy(&bits, &r, sizeof bits);
    return bits & 0x7fffffffffffffffu;
}
inline std::uint32_t magnitude_bits(float r) {
    std::uint32_t bits;
    std::memcpy(&bits, &r, sizeof bits);
    return bits & 0x7fffffffu;
}

/// Calls body(r) with the residual of each cell: r = diag (u_{k+1} - u_k) in the working precision.
template <class T, bool Rhs, class Body>
void for_residuals(const SweepArgs<T>& args, const Range& range, Body&& body) {
    for_cells<T, Rhs>(args, range, [&](std::int64_t at, auto v) {
        T next[decltype(v)::lanes];
        v.store(next);
        for (std::int64_t i = 0; i < decltype(v)::lanes; ++i) body(args.diag * (next[i] - args.u[at + i]));
    });
}

template <class T>
std::uint64_t residual_max_bits(const SweepArgs<T>& args, const Range& range) {
    decltype(magnitude_bits(T())) largest = 0;
    const auto keep = [&](T r) {
        const auto bits = magnitude_bits(r);
        largest = bits > largest ? bits : largest;
    };
    args.b ? for_residuals<T, true>(args, range, keep) : for_residuals<T, false>(args, range, keep);
    return largest;
}

template <class T>
void residual_square_sum(const SweepArgs<T>& args, const Range& range, double first, double second, std::uint64_t limbs[2]) {
    std::uint64_t hi = 0, lo = 0;
    // FixedSum's definition (kernels/fixed_sum.hpp), written again because this unit must not share inline functions.
    const auto add = [&](T r) {
        const double q = (static_cast<double>(r) * first) * second;
        const double v = (q * q) * 0x1p26;
        const std::int64_t part = static_cast<std::int64_t>(v);
        hi += static_cast<std::uint64_t>(part);
        lo += static_cast<std::uint64_t>(static_cast<std::int64_t>((v - static_cast<double>(part)) * 0x1p30));
    };
    args.b ? for_residuals<T, true>(args, range, add) : for_residuals<T, false>(args, range, add);
    limbs[0] += hi;
    limbs[1] += lo;
}

void copy(void* target, const void* source, std::size_t bytes) {
    using V = typename Widest<double>::type;
    auto* to = static_cast<double*>(target);
    const auto* from = static_cast<const double*>(source);
    const auto count = static_cast<std::int64_t>(bytes / sizeof(double));
    for (std::int64_t i = 0; i < count; i += V::lanes) V::load(from + i).stream(to + i);
    store_fence();
}

template <class T>
constexpr IsaKernels<T> table{JACOBI_ISA_NAME, sweep<T>, sweeps<T>, residual_max_bits<T>, residual_square_sum<T>, copy};

}  // namespace

const IsaKernels<double>& kernels(double) { return table<double>; }
const IsaKernels<float>& kernels(float) { return table<float>; }

}  // namespace jacobi::host::JACOBI_ISA
