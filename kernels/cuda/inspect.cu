// The CUDA back end: reductions and copies, between batches.
#include <bit>

#include "backend_state.cuh"
#include "reduce.cuh"

namespace jacobi::cuda {

namespace {
std::array<int, 3> ints(const Index3& n) { return {static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])}; }
}  // namespace

/// Runs a reduction kernel on everything enqueued so far and fetches its two words.
template <class T>
template <class Launch>
std::array<std::uint64_t, 2> CudaBackend<T>::reduce(Launch&& launch) {
    cudaStream_t stream = boundary_stream_.get();
    join_interior();
    JACOBI_CUDA(cudaMemsetAsync(result_.get(), 0, 2 * sizeof(std::uint64_t), stream));
    launch(reduce_blocks(), stream);
    JACOBI_CUDA(cudaGetLastError());
    std::array<std::uint64_t, 2> words;
    read_words(words.data(), result_.get(), words.size());
    return words;
}

template <class T>
double CudaBackend<T>::residual_max(Generation g) {
    const auto n = ints(setup_.layout.extent);
    return std::bit_cast<double>(reduce([&](unsigned blocks, cudaStream_t stream) {
        residual_max_kernel<<<blocks, reduce_threads, 0, stream>>>(args(g), n[0], n[1], n[2], result_.get());
    })[0]);
}

template <class T>
FixedSum CudaBackend<T>::residual_square_sum(Generation g, const FixedScale& scale) {
    const auto n = ints(setup_.layout.extent);
    const auto limbs = reduce([&](unsigned blocks, cudaStream_t stream) {
        residual_sum_kernel<<<blocks, reduce_threads, 0, stream>>>(args(g), n[0], n[1], n[2], scale.first, scale.second,
                                                                   result_.get());
    });
    return {limbs[0], limbs[1]};
}

template <class T>
std::uint64_t CudaBackend<T>::digest(Generation g) {
    const auto n = ints(setup_.layout.extent);
    return reduce([&](unsigned blocks, cudaStream_t stream) {
        digest_kernel<<<blocks, reduce_threads, 0, stream>>>(field(g), setup_.layout.pitch, setup_.layout.plane, n[0], n[1], n[2],
                                                             setup_.problem.grid, setup_.block.lo, result_.get());
    })[0];
}

template <class T>
typename CudaBackend<T>::Rows CudaBackend<T>::packed_rows() const {
    const std::size_t row = setup_.layout.extent[0] * sizeof(T);
    return {row, row * setup_.layout.extent[1]};
}

template <class T>
void CudaBackend<T>::copy_plane(void* to, Rows to_rows, const void* from, Rows from_rows, cudaMemcpyKind kind) {
    JACOBI_CUDA(cudaMemcpy2DAsync(to, to_rows.pitch, from, from_rows.pitch, packed_rows().pitch,
                                  static_cast<std::size_t>(setup_.layout.extent[1]), kind, boundary_stream_.get()));
}

template <class T>
void CudaBackend<T>::read_planes(Generation g, Index z0, Index z1, void* host) {
    const Rows packed = packed_rows(), rows = field_rows();
    join_interior();
    for (Index z = z0; z < z1; ++z) {
        copy_plane(static_cast<char*>(host) + packed.plane * (z - z0), packed,
                   reinterpret_cast<const char*>(field(g)) + rows.plane * z, rows, cudaMemcpyDeviceToHost);
    }
    synchronise();
}

template <class T>
void CudaBackend<T>::write_planes(Generation g, Index z0, Index z1, const void* host) {
    const Rows packed = packed_rows(), rows = field_rows();
    for (Index z = z0; z < z1; ++z) {
        copy_plane(reinterpret_cast<char*>(field(g)) + rows.plane * z, rows,
                   static_cast<const char*>(host) + packed.plane * (z - z0), packed, cudaMemcpyHostToDevice);
    }
    synchronise();
}

template <class T>
std::optional<FlagTimeout> CudaBackend<T>::flag_timeout() {
    return failed_wait_.host() != nullptr ? timeout_of(*failed_wait_.host()) : std::nullopt;
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
