// The CUDA back end: persistent passes.
#include <algorithm>

#include "backend_state.cuh"

namespace jacobi::cuda {

template <class T>
int CudaBackend<T>::persistent_limit() const {
    int cooperative = 0, blocks = 0, device = 0;
    JACOBI_CUDA(cudaGetDevice(&device));
    JACOBI_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    if (cooperative == 0) return 0;  // nothing promises that all blocks are resident
    JACOBI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, persistent_kernel<T, true>, persistent_threads, 0));
    return std::max(1, blocks * properties_.multiProcessorCount / sharers_);
}

template <class T>
void CudaBackend<T>::use_tiles(const FlagLinks& links) {
    const std::size_t words = static_cast<std::size_t>(links.tiles.count()) * TileGrid::words_per_tile;
    tile_done_ = DeviceBuffer<Generation>(words);
    JACOBI_CUDA(cudaMemsetAsync(tile_done_.get(), 0, words * sizeof(Generation), boundary_stream_.get()));
    persistent_ = {};
    for (int p = 0; p < 2; ++p) {
        persistent_.pass[p] = args(p);
        persistent_.to[p] = targets(p);
    }
    for (int axis = 0; axis < 3; ++axis) persistent_.extent[axis] = static_cast<int>(setup_.layout.extent[axis]);
    persistent_.tiles = links.tiles;
    persistent_.tile_done = tile_done_.get();
    persistent_.flags = flags_;
    for (const FlagLinks::Link& link : links.links) {
        for (int f = 0; f < face_count; ++f) {
            if (!(link.direction == Direction::face(f))) continue;
            persistent_.own_tiles[f] = link.own_tiles;
            persistent_.there_tiles[f] = link.there_tiles;
            persistent_.remote[f] = !link.self;
        }
    }
}

template <class T>
void CudaBackend<T>::persistent_passes(Generation g, Index passes, int) {
    cudaStream_t stream = boundary_stream_.get();
    sample_.begin_batch(stream);
    void* parameters[] = {&persistent_, &g, &passes};
    const void* kernel = persistent_.pass[0].b != nullptr ? reinterpret_cast<const void*>(persistent_kernel<T, true>)
                                                          : reinterpret_cast<const void*>(persistent_kernel<T, false>);
    // Cooperative: all blocks are resident, so no tile waits for one that has not started.
    JACOBI_CUDA(
        cudaLaunchCooperativeKernel(kernel, dim3(persistent_.tiles.count()), dim3(persistent_threads), parameters, 0, stream));
    sample_.end_batch(stream, passes);
}

template <class T>
void CudaBackend<T>::await_tiles(Generation g) {
    await_tiles_kernel<T><<<1, 256, 0, boundary_stream_.get()>>>(persistent_, g);
    JACOBI_CUDA(cudaGetLastError());
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
