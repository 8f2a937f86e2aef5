// Launches of passes of several sweeps; the kernel itself is in temporal.cuh, which only temporal.cu compiles.
#pragma once

#include "early_launch.cuh"
#include "flags.cuh"
#include "handles.hpp"
#include "temporal_args.hpp"

namespace jacobi::cuda {

/// Deepest pass. Four levels of a window fill a multiprocessor's registers: deeper ones lost (kernels/README.md).
inline constexpr int most_temporal_depth = 4;

/// One instance.
template <class T>
struct TemporalShape {
    using Kernel = void (*)(TemporalArgs<T>, const Segment*, TouchingBlocks, LayerTargets<T>, FlagArgs, Generation, bool);
    WindowShape window;
    int warps;
    std::size_t shared;  ///< bytes of dynamic shared memory
    Kernel kernel;
    Kernel rhs_kernel;  ///< with a right-hand side
    std::size_t rhs_shared;
};

/// What windows are planned for.
struct TemporalBlock {
    std::array<int, 3> n;
    std::array<bool, face_count> connected;  ///< the faces with a neighbour
};

/// What a pass of one depth launches.
template <class T>
struct TemporalLaunch {
    typename TemporalShape<T>::Kernel kernel = nullptr;
    std::size_t shared = 0;
    int warps = 0;
    WindowShape window{};
    ZChunks chunks;
    unsigned touching = 0, count = 0;
    DeviceBuffer<Segment> segments;

    /// The kernel's own parameters: temporal.cuh.
    void run(const TemporalArgs<T>& a, unsigned first, unsigned segment_count, TouchingBlocks touching_blocks,
             const LayerTargets<T>& to, const FlagArgs& flags, Generation g, bool raise, cudaStream_t stream, bool early) const {
        if (segment_count == 0) return;
        launch_early(kernel, segment_count, dim3(32, static_cast<unsigned>(warps)), shared, stream, early, a,
                     segments.get() + first, touching_blocks, to, flags, g, raise);
    }
};

}  // namespace jacobi::cuda
