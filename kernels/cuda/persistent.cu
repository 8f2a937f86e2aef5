// The CUDA back end: persistent passes.
#include <algorithm>
#include <limits>

#include "backend_state.cuh"

namespace jacobi::cuda {

/// Tiles of the persistent kernel: as many as are sure to be resident together, with few cells on their rims.
template <class T>
void CudaBackend<T>::choose_tiles() {
    int blocks = 0;
    JACOBI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, persistent_kernel<T, true>, persistent_threads, 0));
    const int most = std::max(1, blocks * properties_.multiProcessorCount / sharers_);
    const Index3& n = setup_.layout.extent;
    Index least = std::numeric_limits<Index>::max();
    for (int y = 1; y <= most && y <= n[1]; ++y) {
        const int z = static_cast<int>(std::min<Index>(most / y, n[2]));
        const Index rows = (n[1] + y - 1) / y, planes = (n[2] + z - 1) / z;
        const Index cost = (rows + 1) * (planes + 1);  // the rim counts half
        if (cost < least) least = cost, tiles_ = {y, z};
    }
}

template <class T>
int CudaBackend<T>::persistent_tiles(Direction direction) const {
    const auto offset = direction.offset();
    return offset[0] != 0 ? tiles_.y * tiles_.z : offset[1] != 0 ? tiles_.z : tiles_.y;
}

template <class T>
void CudaBackend<T>::use_arrivals(const FlagLinks& links) {
    const std::size_t words = static_cast<std::size_t>(tiles_.y) * tiles_.z * words_per_line;
    tile_done_ = DeviceBuffer<Generation>(words);
    JACOBI_CUDA(cudaMemsetAsync(tile_done_.get(), 0, words * sizeof(Generation), boundary_stream_.get()));
    persistent_ = {};
    for (int p = 0; p < 2; ++p) {
        persistent_.pass[p] = args(p);
        persistent_.to[p] = targets(p);
    }
    for (int axis = 0; axis < 3; ++axis) persistent_.extent[axis] = static_cast<int>(setup_.layout.extent[axis]);
    persistent_.tiles = tiles_;
    persistent_.tile_done = tile_done_.get();
    persistent_.flags = flags_;
    for (const FlagLinks::Link& link : links.links) {
        for (int f = 0; f < face_count; ++f) {
            if (!(link.direction == Direction::face(f))) continue;
            for (int p = 0; p < 2; ++p) {
                persistent_.own_arrivals[f][p] = link.own_arrivals[p];
                persistent_.there_arrivals[f][p] = link.there_arrivals[p];
            }
            persistent_.neighbour_tiles[f] = link.neighbour_tiles;
        }
    }
}

template <class T>
void CudaBackend<T>::persistent_passes(Generation g, Index passes) {
    cudaStream_t stream = boundary_stream_.get();
    sample_.begin_batch(stream);
    void* parameters[] = {&persistent_, &g, &passes};
    const void* kernel = persistent_.pass[0].b != nullptr ? reinterpret_cast<const void*>(persistent_kernel<T, true>)
                                                          : reinterpret_cast<const void*>(persistent_kernel<T, false>);
    // Cooperative: all blocks are resident, so no tile waits for one that has not started.
    JACOBI_CUDA(cudaLaunchCooperativeKernel(kernel, dim3(tiles_.y * tiles_.z), dim3(persistent_threads), parameters, 0, stream));
    sample_.end_batch(stream, passes);
}

template <class T>
void CudaBackend<T>::await_arrivals(Generation g) {
    await_arrivals_kernel<T><<<1, 32, 0, boundary_stream_.get()>>>(persistent_, g);
    JACOBI_CUDA(cudaGetLastError());
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
