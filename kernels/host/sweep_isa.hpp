// The host kernels as each instruction set provides them. Translation units of this interface are compiled with different
// target flags: they share plain data only and no inline function, or the linker could hand one's AVX-512 code to another.
#pragma once

#include <cstdint>

namespace jacobi::host {

/// Part of a block to work on and the memory it lies in; all pointers address cell (0, 0, 0) of the block.
template <class T>
struct SweepArgs {
    const T* u;  ///< generation g
    T* out;      ///< generation g + 1
    const T* b;  ///< right-hand side over diag, with the same strides; null: none
    std::int64_t pitch, plane;
    T cx, cy, cz, diag;
};

struct Range {
    std::int64_t lo[3], hi[3];
};

constexpr int most_sweeps = 8;  ///< in one pass

/// Several sweeps in one pass: `depth` of them from u, at level 0, to out, at level `depth`; 1 to most_sweeps.
struct TemporalPass {
    int depth;
    /// Cells that may be advanced. Where it ends in a Dirichlet face, the layer beyond holds its value in u, on every level.
    /// Elsewhere it reaches depth - 1 layers or more beyond the range, and u (and b) one more: these cells are advanced too, in
    /// scratch.
    Range limits;
    /// Scratch of the calling thread: 64-byte aligned, initialised once (to anything finite), about half of what its core's own
    /// cache holds, or of its share of a larger one (`scratch_shared`), and no less than least_scratch.
    void* scratch;
    std::int64_t scratch_bytes;
    bool scratch_shared = false;
    static constexpr std::int64_t least_scratch = 256 * 1024;
};

template <class T>
struct IsaKernels {
    const char* name;
    /// Updates the cells of the range. `stream`: stores bypass the caches where rows allow it and are fenced before return.
    void (*sweep)(const SweepArgs<T>& args, const Range& range, bool stream);
    /// Advances the cells of the range by several sweeps with the bits of as many plain ones; writes nothing else of `out`.
    void (*sweeps)(const SweepArgs<T>& args, const Range& range, const TemporalPass& pass, bool stream);
    /// Largest |r| of the range as bits (a NaN's bits exceed every number's).
    std::uint64_t (*residual_max_bits)(const SweepArgs<T>& args, const Range& range);
    /// Adds r^2 of the range to the two limbs of a FixedSum.
    void (*residual_square_sum)(const SweepArgs<T>& args, const Range& range, double first, double second,
                                std::uint64_t limbs[2]);
    /// Streaming copy of whole rows, the host's measure of memory bandwidth. 64-byte aligned, bytes a multiple of 64.
    void (*copy)(void* target, const void* source, std::size_t bytes);
};

namespace portable {
const IsaKernels<double>& kernels(double);
const IsaKernels<float>& kernels(float);
}  // namespace portable
namespace avx2 {
const IsaKernels<double>& kernels(double);
const IsaKernels<float>& kernels(float);
}  // namespace avx2
namespace avx512 {
const IsaKernels<double>& kernels(double);
const IsaKernels<float>& kernels(float);
}  // namespace avx512

/// The best set that this processor runs; the environment variable JACOBI_ISA=portable|avx2|avx512 asks for a lesser one.
template <class T>
const IsaKernels<T>& select_kernels();

}  // namespace jacobi::host
