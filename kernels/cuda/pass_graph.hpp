// Passes captured once and replayed: a small block pays one launch for many of them.
#pragma once

#include "handles.hpp"

namespace jacobi::cuda {

/// An even number of passes, starting with an even generation, as one CUDA graph. A graph freezes pointers and numbers: buffers
/// alternate with the passes, so an even number of them ends where it began, and flagged kernels read their generation from a
/// device word.
class PassGraph {
 public:
    static constexpr int passes = 32;

    bool ready() const { return graph_.get() != nullptr; }

    /// Captures what issue() enqueues on `stream`.
    template <class Issue>
    void capture(cudaStream_t stream, Issue&& issue) {
        cudaGraph_t raw = nullptr;
        JACOBI_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        issue();
        JACOBI_CUDA(cudaStreamEndCapture(stream, &raw));
        const Unique<cudaGraph_t, cudaGraphDestroy> owned(raw);
        cudaGraphExec_t executable = nullptr;
        JACOBI_CUDA(cudaGraphInstantiate(&executable, raw, 0));
        graph_ = Unique<cudaGraphExec_t, cudaGraphExecDestroy>(executable);
        JACOBI_CUDA(cudaGraphUpload(executable, stream));  // now, not at the first launch
    }
    void launch(cudaStream_t stream) const { JACOBI_CUDA(cudaGraphLaunch(graph_.get(), stream)); }

 private:
    Unique<cudaGraphExec_t, cudaGraphExecDestroy> graph_;
};

}  // namespace jacobi::cuda
