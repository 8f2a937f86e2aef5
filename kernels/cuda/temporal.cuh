// The kernel of passes of several sweeps: the march (temporal_march.cuh) between awaiting and raising flags.
#pragma once

#include "early_launch.cuh"
#include "flags.cuh"
#include "temporal_march.cuh"

namespace jacobi::cuda {

/// A pass of Depth sweeps over `segments`, one thread block each, some of which read halos and have cells that neighbours need.
/// With flags those await a generation. Either the one that the state names (g < 0): when all of them have stored into the
/// neighbours the next one is raised, while the other blocks still run. Or g, the pass's own number: with `raise` the kernel
/// raises it as it starts, for the pass in front of it, as march_in_order does (march.cuh).
template <class T, int N, int Depth, int Warps, int Rows, bool Rhs>
__global__ void __launch_bounds__(32 * Warps, 1)
    temporal_march(const __grid_constant__ TemporalArgs<T> a, const Segment* segments, const TouchingBlocks touching,
                   const __grid_constant__ LayerTargets<T> to, const __grid_constant__ FlagArgs flags, const Generation g,
                   const bool raise) {
    extern __shared__ __align__(128) std::byte shared_memory[];
    await_kernel_in_front();
    const unsigned thread = threadIdx.y * 32 + threadIdx.x, block = blockIdx.x;
    const bool leads = block < touching.lead, touches = !leads && block < touching.lead + touching.count;
    const Segment& s = segments[leads ? block + touching.count : touches ? block - touching.lead : block];
    const bool counts = flags.count > 0 && g < 0;
    if (raise && block == 0) raise_links(flags, g, thread);
    if (flags.count > 0 && touches) {
        if (!await_flags(flags, counts ? flags.state->generation : g, thread, raise)) return;
    } else if (counts && failed(flags.state) != 0) {
        return;
    }
    TemporalMarch<T, N, Depth, Warps, Rows, Rhs>(a, to, shared_memory).run(s);
    if (!touches) return;
    __syncthreads();  // the block's stores, which its other threads read now
    for (int i = 0; i < s.count(); ++i)
        push_layers<32 * Warps>(to, a.out, a.pitch, a.plane, a.n, s.windows[i], s.z_lo, s.z_hi, thread);
    // The state still names this pass's generation: it advances when the last of these blocks is done.
    if (counts) raise_flags(flags, flags.state->generation, touching.count, thread);
}

}  // namespace jacobi::cuda
