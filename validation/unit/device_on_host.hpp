// As much of CUDA's device language as march_tile.cuh and temporal_march.cuh need, on the host: a thread block is as many host
// threads. Include it before device code.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#define __device__
#define __forceinline__ inline

struct DeviceThread {
    int x, y;
};
inline thread_local DeviceThread threadIdx;

/// Of POSIX: the barrier of libstdc++ 12 loses a wake-up now and then.
class DeviceBarrier {
 public:
    explicit DeviceBarrier(int threads) { pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads)); }
    DeviceBarrier(const DeviceBarrier&) = delete;
    DeviceBarrier& operator=(const DeviceBarrier&) = delete;
    ~DeviceBarrier() { pthread_barrier_destroy(&barrier_); }
    void wait() { pthread_barrier_wait(&barrier_); }

 private:
    pthread_barrier_t barrier_;
};

struct DeviceBlock {
    explicit DeviceBlock(int warps) : all(32 * warps), words(static_cast<std::size_t>(warps)) {
        for (int i = 0; i < warps; ++i) warp.push_back(std::make_unique<DeviceBarrier>(32));
    }
    DeviceBarrier all;
    std::vector<std::unique_ptr<DeviceBarrier>> warp;
    std::vector<std::array<std::array<std::uint64_t, 32>, 2>> words;  ///< on their way from lane to lane
};
inline DeviceBlock* device_block = nullptr;

/// Runs work(thread) by all threads of a block.
template <class Work>
void run_block(int warps, Work&& work) {
    DeviceBlock block(warps);
    device_block = &block;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 32 * warps; ++t) {
        threads.emplace_back([t, &work] {
            threadIdx = {t % 32, t / 32};
            work(static_cast<unsigned>(t));
        });
    }
}

inline void __syncthreads() { device_block->all.wait(); }
inline void __syncwarp() { device_block->warp[static_cast<std::size_t>(threadIdx.y)]->wait(); }
inline thread_local std::size_t device_shuffles = 0;
/// One barrier is enough where words take turns: who is two shuffles ahead has met all lanes since they read the first.
template <class T>
T device_shuffle(T value, int from) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    auto& words = device_block->words[static_cast<std::size_t>(threadIdx.y)][device_shuffles++ % 2];
    std::memcpy(&words[static_cast<std::size_t>(threadIdx.x)], &value, sizeof value);
    __syncwarp();
    if (from >= 0 && from < 32) std::memcpy(&value, &words[static_cast<std::size_t>(from)], sizeof value);
    return value;
}
template <class T>
T __shfl_up_sync(unsigned, T value, int lanes) {
    return device_shuffle(value, threadIdx.x - lanes);
}
template <class T>
T __shfl_down_sync(unsigned, T value, int lanes) {
    return device_shuffle(value, threadIdx.x + lanes);
}
struct alignas(16) double2 {
    double x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
template <class T>
T __ldg(const T* p) {
    return *p;
}
inline int __ffs(int word) { return __builtin_ffs(word); }
inline std::uintptr_t __cvta_generic_to_shared(void* p) { return reinterpret_cast<std::uintptr_t>(p); }
using std::abs;
using std::max;
using std::min;
