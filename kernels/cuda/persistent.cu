// The CUDA back end: persistent passes.
#include <algorithm>

#include "backend_state.cuh"
#include "persistent.cuh"
#include "resident.cuh"

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
    for (int axis = 0; axis < 3; ++axis) persistent_.extent[axis] = static_cast<int>(setup_.layout.extent[axis]);
    for (int p = 0; p < 2; ++p) {
        persistent_.pass[p] = args(p);
        persistent_.to[p] = push_targets(p);
    }
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
    choose_persistent_kernel();
}

/// The kernel of passes whose tiles stay on the chip, if they fit there.
template <class T>
void CudaBackend<T>::choose_persistent_kernel() {
    const bool rhs = rhs_.get() != nullptr;
    const auto kernel = [](auto* function) { return reinterpret_cast<const void*>(function); };
    persistent_launch_ = {
        rhs ? kernel(persistent_kernel<T, true>) : kernel(persistent_kernel<T, false>), persistent_threads, 0, {}};
    const auto ceil = [](int n, int unit) { return (n + unit - 1) / unit; };
    ResidentShape shape{};
    shape.groups = ceil(persistent_.extent[0], 32 * pack_cells<T>);
    shape.rows = ceil(persistent_.extent[1], persistent_.tiles.y);
    shape.planes = ceil(persistent_.extent[2], persistent_.tiles.z);
    constexpr int most_warps = 32;
    if (shape.groups * shape.rows > most_warps) return;
    shape.plane_groups = std::min(shape.planes, most_warps / (shape.groups * shape.rows));
    const void* resident = rhs ? kernel(resident_kernel<T, true>) : kernel(resident_kernel<T, false>);
    if (shape.shared_bytes() > properties_.sharedMemPerBlockOptin) return;
    JACOBI_CUDA(
        cudaFuncSetAttribute(resident, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes())));
    int blocks = 0;
    JACOBI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, resident, 32 * shape.warps(), shape.shared_bytes()));
    if (std::max(1, blocks * properties_.multiProcessorCount / sharers_) < persistent_.tiles.count()) return;
    persistent_launch_ = {resident, 32 * shape.warps(), shape.shared_bytes(), shape};
}

template <class T>
void CudaBackend<T>::persistent_passes(Generation g, Index passes, int) {
    cudaStream_t stream = boundary_stream_.get();
    sample_.begin_batch(stream);
    PersistentLaunch& l = persistent_launch_;
    void* resident[] = {&persistent_, &l.shape, &g, &passes};
    void* through_memory[] = {&persistent_, &g, &passes};
    // Cooperative: all blocks are resident, so no tile waits for one that has not started.
    JACOBI_CUDA(cudaLaunchCooperativeKernel(l.kernel, dim3(persistent_.tiles.count()), dim3(l.threads),
                                            l.shared > 0 ? resident : through_memory, l.shared, stream));
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
