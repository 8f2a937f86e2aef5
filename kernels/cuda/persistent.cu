// The CUDA back end: persistent passes.
#include <algorithm>

#include "backend_state.cuh"
#include "persistent.cuh"
#include "rims.cuh"

namespace jacobi::cuda {

template <class T>
TileLimits CudaBackend<T>::tile_limits() const {
    int cooperative = 0, blocks = 0, device = 0;
    JACOBI_CUDA(cudaGetDevice(&device));
    JACOBI_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    if (cooperative == 0) return {};  // nothing promises that all blocks are resident
    JACOBI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, persistent_kernel<T, true>, persistent_threads, 0));
    const int groups = tiles_for(static_cast<int>(setup_.layout.extent[0]), 32 * pack_cells<T>);
    return {std::max(1, blocks * properties_.multiProcessorCount / sharers_), most_resident_rows(groups), resident_planes};
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
            for (int p = 0; p < 2; ++p) {
                persistent_.own_rims[f][p] = reinterpret_cast<Tagged*>(link.own_rims.entries[p]);
                persistent_.there_rims[f][p] = reinterpret_cast<Tagged*>(link.there_rims.entries[p]);
            }
        }
    }
    if (links.tiles_stay) {
        persistent_launch_ = resident_launch(links.tiles);
        const ResidentShape& shape = persistent_launch_.shape;
        const std::size_t entries = static_cast<std::size_t>(links.tiles.count()) * 2 *
                                    static_cast<std::size_t>(tile_rim_lines(shape) * rim_line<T>(persistent_.extent[0]));
        tile_rims_ = DeviceBuffer<Tagged>(entries);
        JACOBI_CUDA(cudaMemsetAsync(tile_rims_.get(), 0, entries * sizeof(Tagged), boundary_stream_.get()));
        persistent_.tile_rims = tile_rims_.get();
    } else {
        const auto kernel = [](auto* function) { return reinterpret_cast<const void*>(function); };
        persistent_launch_ = {rhs_.get() != nullptr ? kernel(persistent_kernel<T, true>) : kernel(persistent_kernel<T, false>),
                              persistent_threads,
                              0,
                              {}};
    }
}

/// The kernel of passes whose tiles stay on the chip, if they fit there.
template <class T>
PersistentLaunch CudaBackend<T>::resident_launch(const TileGrid& tiles) const {
    const auto n = [&](int axis) { return static_cast<int>(setup_.layout.extent[axis]); };
    const int rows = tiles_for(n(1), tiles.y), planes = tiles_for(n(2), tiles.z);
    if (planes > resident_planes) return {};
    for (const ResidentKernel& k : resident_kernels()) {
        const ResidentShape shape{tiles_for(n(0), 32 * pack_cells<T>), tiles_for(rows, k.rows), k.rows, planes};
        if (shape.warps() > resident_warps) continue;
        const int shared = static_cast<int>(shape.shared_bytes());
        cudaFuncAttributes attributes{};
        JACOBI_CUDA(cudaFuncGetAttributes(&attributes, k.kernel));
        if (shape.shared_bytes() + attributes.sharedSizeBytes > properties_.sharedMemPerBlockOptin) continue;
        JACOBI_CUDA(cudaFuncSetAttribute(k.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
        int blocks = 0;
        JACOBI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k.kernel, 32 * shape.warps(), shape.shared_bytes()));
        if (blocks == 0 || std::max(1, blocks * properties_.multiProcessorCount / sharers_) < tiles.count()) continue;
        return {k.kernel, 32 * shape.warps(), shape.shared_bytes(), shape};
    }
    return {};
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
