// The sweep kernels, one sweep a pass: tiles march along z. Those that touch a neighbour store their boundary layer into its halo
// as they compute it.
#pragma once

#include "early_launch.cuh"
#include "march_launch.cuh"
#include "march_tile.cuh"

namespace jacobi::cuda {

/// The tile of this thread block where a box of tiles from `first` on is walked in its natural order.
__device__ inline MarchTile natural_tile(const MarchTile& first) {
    return {first.x + static_cast<int>(blockIdx.x), first.y + static_cast<int>(blockIdx.y),
            first.z + static_cast<int>(blockIdx.z)};
}

/// Tiles that do not touch a neighbour.
template <class T, bool Rhs, class Block>
__global__ void __launch_bounds__(32 * Block::warps, Block::blocks)
    march_others(const __grid_constant__ SweepArgs<T> a, const MarchShape s, const MarchTile first) {
    await_kernel_in_front();
    march_tile<T, Rhs, Block, false>(a, s, natural_tile(first), PushTargets<T>{});
}

/// The first gridDim.x tiles in the order of tile_of: those that touch a neighbour, perhaps with all others behind them. With
/// flags: one that touches awaits the generation that the state names, and when all of those are done the next one is raised,
/// while other tiles still run. Registers as they come: few tiles, or few passes that long.
template <class T, bool Rhs, class Block>
__global__ void __launch_bounds__(32 * Block::warps, Block::blocks * 3 / 4)
    march_touching(const __grid_constant__ SweepArgs<T> a, const MarchShape s, const TouchingTiles touching,
                   const __grid_constant__ PushTargets<T> to, const __grid_constant__ FlagArgs flags) {
    await_kernel_in_front();
    const MarchTile tile = tile_of(s, touching, blockIdx.x);
    const unsigned thread = threadIdx.y * 32 + threadIdx.x;
    if (flags.count > 0) {
        if (touches(touching, tile)) {
            if (!await_flags(flags, flags.state->generation, thread)) return;
        } else if (failed(flags.state) != 0) {
            return;
        }
    }
    march_tile<T, Rhs, Block, true>(a, s, tile, to);
    // The state still names this pass's generation: it advances when the last of these tiles is done.
    if (flags.count > 0 && touches(touching, tile)) raise_flags(flags, flags.state->generation, touching.count, thread);
}

/// Tiles in their natural order, those that touch a neighbour among the others: two instances of the march in one kernel, since
/// whatever stands in it for neighbours would cost the many tiles that have none. With flags: a tile that touches awaits
/// generation g, the pass's own number; with `raise`, the kernel raises it as it starts, for the pass in front of it, which thus
/// needs neither a count of its tiles nor a kernel behind it. Kernels in front have ended in stream order before a block of this
/// one does anything: their accesses happen before its release stores, as in raise_kernel.
template <class T, bool Rhs, class Block>
__global__ void __launch_bounds__(32 * Block::warps, Block::blocks)
    march_in_order(const __grid_constant__ SweepArgs<T> a, const MarchShape s, const TouchingTiles touching,
                   const __grid_constant__ PushTargets<T> to, const __grid_constant__ FlagArgs flags, const Generation g,
                   const bool raise, const MarchTile first) {
    await_kernel_in_front();
    const MarchTile tile = natural_tile(first);
    if (raise && tile.x == 0 && tile.y == 0 && tile.z == 0 && threadIdx.y == 0) raise_links(flags, g, threadIdx.x);
    if (touches(touching, tile)) {
        if (!await_flags_by_warp(flags, g, raise)) return;
        march_tile<T, Rhs, Block, true>(a, s, tile, to);
    } else {
        march_tile<T, Rhs, Block, false>(a, s, tile, to);
    }
}

}  // namespace jacobi::cuda
