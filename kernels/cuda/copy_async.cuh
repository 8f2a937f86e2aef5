// Copies from global to shared memory that run beside the thread that asked for them, and a barrier in two halves. Older devices
// get the plain forms.
#pragma once

#include "cells.cuh"

namespace jacobi::cuda {

/// Starts a copy; without `present` nothing is read and zeros arrive. Not the read-only path: right for halos that a neighbour
/// stored before this thread's last acquire.
template <class P, class T>
__device__ inline void copy_async(P* to, const T* from, bool present) {
    static_assert(sizeof(P) == 16 || sizeof(P) == 8);
#if __CUDA_ARCH__ >= 800
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    const int bytes = present ? static_cast<int>(sizeof(P)) : 0;
    if constexpr (sizeof(P) == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
    }
#else
    *to = present ? *reinterpret_cast<const P*>(from) : P{};
#endif
}
/// Closes a group of copies.
__device__ inline void copy_commit() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
__device__ inline void copy_wait() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

/// A block barrier of which each warp does the two halves when it likes: what any warp did before arrive() has happened when a
/// warp leaves the wait() that belongs to it. Between a warp's arrive() and wait() it may do what needs nobody and harms nobody:
/// a whole barrier at either place must do as well, which is how a race detector can look for what it may not do
/// (validation/unit). One lane arrives for its warp; a race detector on the GPU wants to see all of them do it.
class SplitBarrier {
 public:
    using Word = std::uint64_t;

    /// All threads; `word` in shared memory. `arriving`: lanes of each warp.
    __device__ SplitBarrier(std::byte* word, unsigned warps, const unsigned& arriving)
        : word_(static_cast<unsigned>(__cvta_generic_to_shared(word))), arriving_(arriving) {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x == 0 && threadIdx.y == 0)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(word_), "r"(warps * arriving) : "memory");
        __syncthreads();
#endif
    }
    __device__ void arrive() {
#if __CUDA_ARCH__ >= 900
        __syncwarp();
        if (threadIdx.x < arriving_) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(word_) : "memory");
#elif defined(JACOBI_BARRIER_AT_ARRIVE)
        __syncthreads();
#endif
    }
    __device__ void wait() {
#if __CUDA_ARCH__ >= 900
        unsigned done = 0;
        while (done == 0) {
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                         : "=r"(done)
                         : "r"(word_), "r"(phase_)
                         : "memory");
        }
        phase_ ^= 1;
#elif !defined(JACOBI_BARRIER_AT_ARRIVE)
        __syncthreads();
#endif
    }

 private:
    unsigned word_;
    const unsigned& arriving_;  ///< a kernel's parameter, which takes no register
    unsigned phase_ = 0;
};

}  // namespace jacobi::cuda
