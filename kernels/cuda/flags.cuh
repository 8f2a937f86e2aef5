// Flags raised and awaited inside kernels, across GPUs: the memory-model part of the rungs `stream`, `flag` and `persistent`.
#pragma once

#include "backend.hpp"

namespace jacobi::cuda {

/// The device's own words of the protocol, in private memory. `generation` is what the next pass of a small block (or its
/// boundary, where that is launched apart) reads, so that a graph of passes freezes no number; the last block of such a pass
/// advances it.
struct FlagState {
    Generation generation;  ///< read by blocks that await and raise, until they have arrived
    unsigned arrived;       ///< blocks of the current pass that are done
    unsigned failed;        ///< non-zero: a wait gave up; no kernel raises a flag any more, and most do nothing
};

/// The wait that gave up first, in host memory: written once if ever, so that the host can look after every batch for nothing.
struct FailedWait {
    Generation expected, seen;
    int direction;
    int failed;  ///< non-zero: there was one
};

/// FlagLinks as a kernel parameter.
struct FlagArgs {
    const Generation* own[Direction::count];
    Generation* there[Direction::count];
    int direction[Direction::count];
    int count;
    unsigned long long timeout_ns;
    FlagState* state;
    FailedWait* failed_wait;
};

__device__ inline Generation load_acquire_system(const Generation* p) {
    Generation value;
    asm volatile("ld.acquire.sys.global.s64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
/// For words that only this device writes.
__device__ inline Generation load_acquire_device(const Generation* p) {
    Generation value;
    asm volatile("ld.acquire.gpu.global.s64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline void store_release_system(Generation* p, Generation value) {
    asm volatile("st.release.sys.global.s64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}
__device__ inline unsigned long long global_nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
__device__ inline unsigned failed(const FlagState* state) { return *reinterpret_cast<const volatile unsigned*>(&state->failed); }

/// How long a thread polls: until the deadline, or another block's failure.
class Patience {
 public:
    static constexpr unsigned between_looks = 64;  ///< polls in vain from one look at failures and clock to the next
    explicit __device__ Patience(unsigned before_the_first = between_looks) : spin_(between_looks - before_the_first) {}
    /// Called after each poll in vain. True: just poll again; else ask more().
    __device__ bool untested() {
        if (start_ == 0) start_ = global_nanoseconds();
        return ++spin_ % between_looks != 0;
    }
    /// False: give up. Tiles of this rank (Direction{}) wait somewhat longer for each other than for other ranks, since one that
    /// waits for a rank keeps others waiting, and the rank is what the message must name.
    __device__ bool more(const FlagArgs& flags, int direction, Generation g, Generation seen) {
        if (failed(flags.state) != 0) return false;
        constexpr unsigned long long longer = 500'000'000;
        if (global_nanoseconds() - start_ <= flags.timeout_ns + (direction == Direction{}.code ? longer : 0)) return true;
        if (atomicExch(&flags.state->failed, 1u) == 0) {
            *flags.failed_wait = {g, seen, direction, 1};  // for the host, which reads it when this kernel has ended
        }
        return false;
    }

 private:
    unsigned spin_;
    unsigned long long start_ = 0;
};

/// Spins until load() >= g. False: give up.
template <class Load>
__device__ inline bool await_word(const FlagArgs& flags, int direction, Generation g, Load&& load,
                                  Patience patience = Patience{}) {
    for (;;) {
        const Generation seen = load();
        if (seen >= g) return true;
        if (!patience.untested() && !patience.more(flags, direction, g, seen)) return false;
    }
}

/// Raises g at all neighbours, unless a wait gave up: what this device did up to now in stream order happens before.
__device__ inline void raise_links(const FlagArgs& flags, Generation g, unsigned thread) {
    if (thread < static_cast<unsigned>(flags.count) && flags.there[thread] != nullptr && failed(flags.state) == 0)
        store_release_system(flags.there[thread], g);
}

/// One thread's wait for one link, which ends with an acquire load. `raise`: the grid that this thread is of raises g as it
/// starts; a thread that waits for long does so once more, on all links, in case the block that is to do it has not started.
__device__ inline bool await_link(const FlagArgs& flags, Generation g, unsigned link, bool raise,
                                  Patience patience = Patience{}) {
    auto load = [&, looks = 0u]() mutable {
        if (raise && ++looks == Patience::between_looks) {
            for (int i = 0; i < flags.count; ++i) raise_links(flags, g, i);
        }
        return load_acquire_system(flags.own[link]);
    };
    return await_word(flags, flags.direction[link], g, load, patience);
}

/// Called by all threads of every block before it reads a halo or stores into a neighbour: one thread a link waits. The block
/// barrier behind it extends that acquire to the block's other threads: their halo reads come after the neighbours' stores
/// (read-after-write), and their peer stores after the neighbours' reads (write-after-read).
/// False on all threads: a wait gave up, the kernel must return at once. `raise`: as in await_link.
__device__ inline bool await_flags(const FlagArgs& flags, Generation g, unsigned thread, bool raise = false) {
    bool ok = failed(flags.state) == 0;
    if (ok && thread < static_cast<unsigned>(flags.count)) ok = await_link(flags, g, thread, raise);
    return __syncthreads_and(ok) != 0;
}

/// The same by each warp for itself, where the warps of a block do not depend on each other: lane i waits for link i, and what
/// extends its acquire to the other lanes is __syncwarp. It looks at the state with its first poll in vain, so that behind a wait
/// that gave up no warp waits again, and not in front, a trip to the L2 for every warp: what such a pass stores into a neighbour
/// that did come is not read there, for raise_links looks.
__device__ inline bool await_flags_by_warp(const FlagArgs& flags, Generation g, bool raise) {
    const unsigned lane = threadIdx.x;
    static_assert(Direction::count <= 32);
    bool ok = true;
    if (lane < static_cast<unsigned>(flags.count)) ok = await_link(flags, g, lane, raise, Patience(1));
    ok = __all_sync(~0u, ok) != 0;
    __syncwarp();
    return ok;
}

/// Called by all threads of `blocks` blocks, each after its last halo read and peer store. The last block raises g + 1 at all
/// neighbours and advances the state. The chain: a block's accesses, its barrier, thread 0's arrival (release), the last arrival
/// (acquire, it reads all others'), the block barrier, the system-scope release stores. Causality is transitive, so a neighbour
/// that acquires g + 1 sees every block's stores, and none of these blocks' halo reads of generation g can come after its next
/// store.
__device__ inline void raise_flags(const FlagArgs& flags, Generation g, unsigned blocks, unsigned thread) {
    __shared__ bool last;
    __syncthreads();
    if (thread == 0) {
        unsigned before;
        asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(&flags.state->arrived) : "memory");
        last = before == blocks - 1;
    }
    __syncthreads();
    if (!last) return;
    if (thread < static_cast<unsigned>(flags.count) && flags.there[thread] != nullptr)
        store_release_system(flags.there[thread], g + 1);
    if (thread == 0) {
        flags.state->arrived = 0;
        flags.state->generation = g + 1;  // for the next kernel in the stream; these blocks have read g
    }
}

}  // namespace jacobi::cuda
