// Times of what a stream does.
#pragma once

#include <chrono>

#include "handles.hpp"

namespace jacobi::cuda {

/// Two events around what is enqueued between start() and stop(). Made for the current device.
class Stopwatch {
 public:
    void start(cudaStream_t stream) { JACOBI_CUDA(cudaEventRecord(begin_.get(), stream)); }
    void stop(cudaStream_t stream) { JACOBI_CUDA(cudaEventRecord(end_.get(), stream)); }
    /// Once the stream has come past stop().
    double seconds() const {
        float milliseconds = 0;
        JACOBI_CUDA(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
        return milliseconds * 1e-3;
    }

 private:
    Event begin_ = make_event(cudaEventDefault), end_ = make_event(cudaEventDefault);
};

/// Mean seconds of work(), which enqueues something on `stream`: again and again, for about `seconds`.
template <class Work>
double mean_seconds(cudaStream_t stream, double seconds, Work&& work) {
    using Clock = std::chrono::steady_clock;
    constexpr int at_a_time = 8;  // so that launch gaps do not show
    Stopwatch watch;
    double elapsed = 0;
    int times = 0;
    const auto stop = Clock::now() + std::chrono::duration<double>(seconds);
    do {
        watch.start(stream);
        for (int i = 0; i < at_a_time; ++i) work();
        watch.stop(stream);
        JACOBI_CUDA(cudaStreamSynchronize(stream));
        elapsed += watch.seconds();
        times += at_a_time;
    } while (Clock::now() < stop);
    return elapsed / times;
}

}  // namespace jacobi::cuda
