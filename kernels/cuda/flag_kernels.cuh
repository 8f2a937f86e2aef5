// Kernels of one block that await and raise flags for kernels in front of them and behind them in the stream.
#pragma once

#include "flags.cuh"

namespace jacobi::cuda {

/// For kernels enqueued behind it. Negative g: the generation that the state names. Its acquires come before its end, and that
/// before any access of those kernels: their plain loads see what neighbours had stored when they raised g (read-after-write),
/// and their stores come after the neighbours' reads of g - 1 (write-after-read). Bounded as every wait of await_flags; kernels
/// behind it await the same and find that a wait gave up.
static __global__ void await_kernel(const FlagArgs flags, Generation g) {
    (void)await_flags(flags, g < 0 ? flags.state->generation : g, threadIdx.x);
}

/// For pass g - 1, enqueued before it: raises g. Whatever the pass did happens before this kernel starts, and the release stores
/// extend over it: a neighbour that acquires g sees all the pass's stores, and its own later ones come after all the pass's halo
/// reads.
static __global__ void raise_kernel(const FlagArgs flags, Generation g) { raise_links(flags, g, threadIdx.x); }

}  // namespace jacobi::cuda
