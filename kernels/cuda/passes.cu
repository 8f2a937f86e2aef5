// The CUDA back end: passes.
#include "backend_state.cuh"
#include "flag_kernels.cuh"

namespace jacobi::cuda {

template <class T>
void CudaBackend<T>::pass(Generation g, int depth, Part part, cudaStream_t stream) {
    temporal() ? temporal_pass(g, depth, part, stream) : march_pass(g, part, stream);
}

template <class T>
std::string CudaBackend<T>::pass_shape() const {
    if (!temporal()) {
        return "tiles of " + std::to_string(march_.width) + " x " + std::to_string(march_.height) + " cells, " +
               std::to_string(march_.chunk) + " planes each" +
               (march_.strips > 1 ? ", " + std::to_string(march_.strips) + " strips along y" : std::string());
    }
    const TemporalLaunch<T>& l = temporal_.back();
    const auto [others, touching] = std::pair(l.chunks.others, l.chunks.touching);
    return "windows of " + std::to_string(l.window.width) + " x " + std::to_string(l.window.height) + " cells, " +
           std::to_string(others) + (others == 1 ? " chunk" : " chunks") + " along z" +
           (touching != others ? ", " + std::to_string(touching) + " next to neighbours" : std::string());
}

template <class T>
void CudaBackend<T>::boundary(Generation g, int depth) {
    cudaStream_t stream = boundary_stream_.get();
    // Rule: boundary(g) reads interior cells that interior(g - 1) wrote.
    JACOBI_CUDA(cudaStreamWaitEvent(stream, interior_done_[(g + 1) & 1].get(), 0));
    if (flagged_) make_room(g);
    sample_.mark(PassSample::boundary_begin, stream);
    pass(g, depth, Part::boundary, stream);
    sample_.mark(PassSample::boundary_end, stream);
    JACOBI_CUDA(cudaEventRecord(boundary_done_[g & 1].get(), stream));
}

template <class T>
void CudaBackend<T>::interior(Generation g, int depth) {
    cudaStream_t stream = interior_stream_.get();
    // Rule: interior(g) reads boundary cells that boundary(g - 1) wrote; boundary(g) may run beside it.
    JACOBI_CUDA(cudaStreamWaitEvent(stream, boundary_done_[(g + 1) & 1].get(), 0));
    sample_.mark(PassSample::interior_begin, stream);
    pass(g, depth, Part::interior, stream);
    sample_.mark(PassSample::interior_end, stream);
    JACOBI_CUDA(cudaEventRecord(interior_done_[g & 1].get(), stream));
    sample_.next_pass(depth);
}

template <class T>
void CudaBackend<T>::whole(Generation g, int depth) {
    cudaStream_t stream = boundary_stream_.get();
    if (flagged_) make_room(g);
    sample_.mark(PassSample::interior_begin, stream);
    pass(g, depth, Part::whole, stream);
    sample_.mark(PassSample::interior_end, stream);
    sample_.next_pass(depth);
}

/// In a pass of a small block the tiles that touch neighbours come first and raise while the others run; in a large one they
/// stand among the others, and the exchange is hidden behind those of the next pass.
template <class T>
void CudaBackend<T>::flagged_passes(Generation g, Index passes, int depth) {
    const Generation end = g + passes;
    const bool graphs = small_ && depth == setup_.temporal_depth;
    // The first passes of a batch are issued one by one: the sampled one is among them, and they leave an even generation. Large
    // blocks have no use for a graph: their launches are hidden.
    while (g < end && (g % 2 != 0 || sample_.open() || !graphs)) whole(g++, depth);
    if (end - g >= PassGraph::passes && !graph_.ready()) {
        graph_.capture(boundary_stream_.get(), [&] {
            for (int i = 0; i < PassGraph::passes; ++i) whole(g + i, depth);
        });
    }
    for (; end - g >= PassGraph::passes; g += PassGraph::passes) graph_.launch(boundary_stream_.get());
    while (g < end) whole(g++, depth);
    raise(end);
}

/// On a shared device a grid of waiting blocks could keep the very kernels from starting that it waits for. So one block waits
/// first, and the grid behind it finds its flags raised. A graph would freeze g: there, the state names it.
template <class T>
void CudaBackend<T>::make_room(Generation g) {
    if (sharers_ > 1) await_flags(small_ ? -1 : g);
}

/// Called behind a pass whose blocks await g - 1 by number. That the last block to touch a neighbour raises would take a count of
/// them all; so raising g is left to the next pass, which does it as it starts, or to the end of the batch.
template <class T>
void CudaBackend<T>::left_to_raise(Generation g) {
    unraised_ = raises_;
    // Ranks that share a device let one block wait in front of the grid (make_room), so what that waits for cannot come from a
    // grid.
    if (sharers_ > 1) raise(g);
}

/// What the last pass left to do, if it did. `g`: the generation behind it.
template <class T>
void CudaBackend<T>::raise(Generation g) {
    if (!unraised_) return;
    raise_kernel<<<1, 32, 0, boundary_stream_.get()>>>(flags_, g);
    JACOBI_CUDA(cudaGetLastError());
    unraised_ = false;
}

template <class T>
void CudaBackend<T>::await_flags(Generation g) {
    await_kernel<<<1, 32, 0, boundary_stream_.get()>>>(flags_, g);
    JACOBI_CUDA(cudaGetLastError());
}

template <class T>
bool CudaBackend<T>::done(bool boundary_only) {
    const auto idle = [](const Stream& stream) {
        const cudaError_t status = cudaStreamQuery(stream.get());
        if (status == cudaErrorNotReady) return false;
        check(status, "cudaStreamQuery");
        return true;
    };
    return idle(boundary_stream_) && (boundary_only || idle(interior_stream_));
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
