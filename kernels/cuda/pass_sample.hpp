// Kernel times of one pass a batch.
#pragma once

#include <array>

#include "backend.hpp"
#include "handles.hpp"

namespace jacobi::cuda {

/// Event pairs around the kernels of one pass a batch: enough to tell people where the time goes, too few to cost any.
class PassSample {
 public:
    enum Mark { boundary_begin, boundary_end, interior_begin, interior_end };

    PassSample() {
        for (auto& event : marks_) event = make_event(cudaEventDefault);
    }
    void mark(Mark which, cudaStream_t stream) {
        if (pass_ != sampled_pass) return;
        JACOBI_CUDA(cudaEventRecord(marks_[which].get(), stream));
        (which <= boundary_end ? boundary_ : interior_) = true;
    }
    void next_pass(int depth) {
        if (pass_++ == sampled_pass) sweeps_ = depth;
    }

    /// Is the sampled pass of this batch still to come?
    bool open() const { return pass_ <= sampled_pass; }

    // Persistent passes are one kernel: its time is that of all of them.
    void begin_batch(cudaStream_t stream) { JACOBI_CUDA(cudaEventRecord(marks_[interior_begin].get(), stream)); }
    void end_batch(cudaStream_t stream, Index sweeps) {
        JACOBI_CUDA(cudaEventRecord(marks_[interior_end].get(), stream));
        interior_ = true;
        sweeps_ = sweeps;
    }

    /// Call when the batch is done; starts the next one.
    PhaseTimes take() {
        PhaseTimes times;
        if (boundary_) times.boundary = elapsed(boundary_begin);
        if (interior_) times.interior = elapsed(interior_begin);
        times.sweeps = boundary_ || interior_ ? sweeps_ : 0;
        sweeps_ = 1;
        boundary_ = interior_ = false;
        pass_ = 0;
        return times;
    }

 private:
    static constexpr Index sampled_pass = 2;  // by then the pipeline of a batch is full

    double elapsed(int from) const {
        float milliseconds = 0;
        JACOBI_CUDA(cudaEventElapsedTime(&milliseconds, marks_[from].get(), marks_[from + 1].get()));
        return milliseconds * 1e-3;
    }

    std::array<Event, 4> marks_;
    Index pass_ = 0;
    Index sweeps_ = 1;                          ///< that the times stand for
    bool boundary_ = false, interior_ = false;  // recorded in this batch
};

}  // namespace jacobi::cuda
