// CUDA handles that free themselves, and the one way CUDA errors are reported.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "error.hpp"

namespace jacobi::cuda {

/// Throws Error naming the call and CUDA's own words for its status.
inline void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();  // do not let a handled error surface at an unrelated call
    throw Error(std::string(call) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}
#define JACOBI_CUDA(call) ::jacobi::cuda::check((call), #call)

/// Owns one handle; `destroy` is local and never throws (collective tear-down is the caller's, before this runs).
template <class Handle, auto destroy>
class Unique {
 public:
    Unique() = default;
    explicit Unique(Handle handle) : handle_(handle) {}
    Unique(Unique&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
    Unique& operator=(Unique&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Unique() { reset(); }
    void reset() {
        if (handle_ != Handle{}) (void)destroy(std::exchange(handle_, Handle{}));
    }
    Handle get() const { return handle_; }

 private:
    Handle handle_{};
};

/// Makes a device the calling thread's current one for good: a process of this program uses one device.
struct CurrentDevice {
    explicit CurrentDevice(int ordinal) { JACOBI_CUDA(cudaSetDevice(ordinal)); }
};

using Stream = Unique<cudaStream_t, cudaStreamDestroy>;
using Event = Unique<cudaEvent_t, cudaEventDestroy>;

/// `priority` as cudaDeviceGetStreamPriorityRange counts: the lower the more urgent.
inline Stream make_stream(int priority) {
    cudaStream_t stream;
    JACOBI_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
    return Stream(stream);
}
/// `flags`: cudaEventDisableTiming, cudaEventInterprocess, ...
inline Event make_event(unsigned flags) {
    cudaEvent_t event;
    JACOBI_CUDA(cudaEventCreateWithFlags(&event, flags));
    return Event(event);
}

// Freeing memory waits for the device. While an error is on its way the device may be waiting for a rank that is gone, without
// end, and the process is about to leave: then the driver frees.
inline void free_device(void* p) {
    if (std::uncaught_exceptions() == 0) (void)cudaFree(p);
}
inline void free_pinned(void* p) {
    if (std::uncaught_exceptions() == 0) (void)cudaFreeHost(p);
}

/// Plain device memory, never shared with other processes.
template <class T>
class DeviceBuffer {
 public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t count) {
        void* raw = nullptr;
        JACOBI_CUDA(cudaMalloc(&raw, count * sizeof(T)));
        memory_ = Unique<void*, free_device>(raw);
    }
    T* get() const { return static_cast<T*>(memory_.get()); }

 private:
    Unique<void*, free_device> memory_;
};

/// A value in host memory that kernels write and the host reads without a copy: for what is written rarely. Starts as zeros.
template <class T>
class MappedValue {
 public:
    MappedValue() = default;
    static MappedValue make() {
        MappedValue value;
        void* raw = nullptr;
        JACOBI_CUDA(cudaHostAlloc(&raw, sizeof(T), cudaHostAllocMapped));
        value.memory_ = Unique<void*, free_pinned>(raw);
        *value.host() = T{};
        return value;
    }
    /// What kernels that have ended wrote is there.
    T* host() const { return static_cast<T*>(memory_.get()); }
    T* device() const {
        void* raw = nullptr;
        JACOBI_CUDA(cudaHostGetDevicePointer(&raw, memory_.get(), 0));
        return static_cast<T*>(raw);
    }

 private:
    Unique<void*, free_pinned> memory_;
};

}  // namespace jacobi::cuda
