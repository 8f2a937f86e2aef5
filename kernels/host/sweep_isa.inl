// Body of a translation unit that provides IsaKernels for one instruction set: included with JACOBI_ISA defined to the
// namespace's name and JACOBI_ISA_NAME to what people call it.
#include <cmath>
#include <cstring>

#include "simd.hpp"
#include "sweep_isa.hpp"

namespace jacobi::host::JACOBI_ISA {
namespace {

constexpr std::int64_t prefetch_bytes = 2048;  // measured: kernels/README.md

/// The update of one vector of cells (kernels/stencil.hpp states the contract of its order).
template <class V, bool Rhs, class T>
inline V update(const T* u, const T* b, std::int64_t pitch, std::int64_t plane, V cx, V cy, V cz) {
    const V x = V::load(u - 1) + V::load(u + 1);
    V sum;
    if constexpr (Rhs) {
        sum = fma(cx, x, V::load(b));
    } else {
        sum = cx * x;
    }
    sum = fma(cy, V::load(u - pitch) + V::load(u + pitch), sum);
    sum = fma(cz, V::load(u - plane), sum);
    return fma(cz, V::load(u + plane), sum);
}

template <class T, bool Rhs>
struct Row {
    const SweepArgs<T>& args;
    using Wide = typename Widest<T>::type;
    using One = Scalar<T>;

    /// Hands each vector of updated cells x0 <= x < x1 of a row to sink(x, vector); vectors in between start on a multiple of
    /// their width, so that they may be streamed.
    template <class Sink>
    void each(std::int64_t x0, std::int64_t x1, std::int64_t row, Sink&& sink) const {
        const Wide cx = Wide::all(args.cx), cy = Wide::all(args.cy), cz = Wide::all(args.cz);
        std::int64_t x = x0;
        const auto ends = [&](std::int64_t to) {
            for (; x < to; ++x) {
                sink(x, update<One, Rhs>(args.u + row + x, args.b + (Rhs ? row + x : 0), args.pitch, args.plane,
                                         One::all(args.cx), One::all(args.cy), One::all(args.cz)));
            }
        };
        const std::int64_t first = (x0 + Wide::lanes - 1) / Wide::lanes * Wide::lanes;
        ends(first < x1 ? first : x1);
        for (; x + Wide::lanes <= x1; x += Wide::lanes) {
            // Only the plane above comes from memory. Its rows lie one after the other, but each is too short for the hardware to
            // run ahead into the next.
            __builtin_prefetch(args.u + row + x + args.plane + prefetch_bytes / static_cast<std::int64_t>(sizeof(T)));
            sink(x, update<Wide, Rhs>(args.u + row + x, args.b + (Rhs ? row + x : 0), args.pitch, args.plane, cx, cy, cz));
        }
        ends(x1);
    }
};

/// Rows of a range, in y tiles small enough that three planes of a tile stay in a core's own cache while z advances: each
/// value then comes from memory once a sweep.
template <class T, class Body>
void for_rows(const SweepArgs<T>& args, const Range& r, Body&& body) {
    constexpr std::int64_t cache_bytes = 512 * 1024;
    std::int64_t tile = cache_bytes / (3 * args.pitch * static_cast<std::int64_t>(sizeof(T)));
    if (tile < 8) tile = 8;
    for (std::int64_t y0 = r.lo[1]; y0 < r.hi[1]; y0 += tile) {
        const std::int64_t y1 = y0 + tile < r.hi[1] ? y0 + tile : r.hi[1];
        for (std::int64_t z = r.lo[2]; z < r.hi[2]; ++z) {
            for (std::int64_t y = y0; y < y1; ++y) body(y * args.pitch + z * args.plane);
        }
    }
}

template <class T, bool Rhs>
void sweep_range(const SweepArgs<T>& args, const Range& r, bool stream) {
    const Row<T, Rhs> kernel{args};
    if (stream) {
        for_rows(args, r, [&](std::int64_t row) {
            kernel.each(r.lo[0], r.hi[0], row, [&](std::int64_t x, auto v) { v.stream(args.out + row + x); });
        });
        store_fence();
    } else {
        for_rows(args, r, [&](std::int64_t row) {
            kernel.each(r.lo[0], r.hi[0], row, [&](std::int64_t x, auto v) { v.store(args.out + row + x); });
        });
    }
}

template <class T>
void sweep(const SweepArgs<T>& args, const Range& range, bool stream) {
    args.b ? sweep_range<T, true>(args, range, stream) : sweep_range<T, false>(args, range, stream);
}

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
    const Row<T, Rhs> kernel{args};
    for_rows(args, range, [&](std::int64_t row) {
        kernel.each(range.lo[0], range.hi[0], row, [&](std::int64_t x, auto v) {
            T next[decltype(v)::lanes];
            v.store(next);
            for (std::int64_t i = 0; i < decltype(v)::lanes; ++i) body(args.diag * (next[i] - args.u[row + x + i]));
        });
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
