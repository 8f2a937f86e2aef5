// The kernel of passes of several sweeps: the march (temporal_march.cuh) between awaiting and raising flags.
#pragma once

#include "early_launch.cuh"
#include "flags.cuh"
#include "temporal_march.cuh"

namespace jacobi::cuda {

/// A pass of Depth sweeps over `segments`, one thread block each. The first `touching` of them read halos and have cells that
/// neighbours need: with flags they await the generation that the state names, and when all of them have stored into the
/// neighbours the next one is raised, while the other blocks still run.
template <class T, int N, int Depth, int Warps, int Rows, bool Rhs>
__global__ void __launch_bounds__(32 * Warps, 1)
    temporal_march(const __grid_constant__ TemporalArgs<T> a, const Segment* segments, const unsigned touching,
                   const __grid_constant__ LayerTargets<T> to, const __grid_constant__ FlagArgs flags) {
    extern __shared__ __align__(128) std::byte shared_memory[];
    await_kernel_in_front();
    const unsigned thread = threadIdx.y * 32 + threadIdx.x;
    const bool touches = blockIdx.x < touching;
    const Segment& s = segments[blockIdx.x];
    Generation g = 0;
    if (flags.count > 0) {
        if (!touches) {
            if (failed(flags.state) != 0) return;
        } else {
            g = flags.state->generation;
            if (!await_flags(flags, g, thread)) return;
        }
    }
    TemporalMarch<T, N, Depth, Warps, Rows, Rhs>(a, to, shared_memory).run(s);
    if (!touches) return;
    __syncthreads();  // the block's stores, which its other threads read now
    for (int i = 0; i < s.count(); ++i)
        push_layers<32 * Warps>(to, a.out, a.pitch, a.plane, a.n, s.windows[i], s.z_lo, s.z_hi, thread);
    if (flags.count > 0) raise_flags(flags, g, touching, thread);
}

}  // namespace jacobi::cuda
