// The CUDA back end: messages.
#include <cstring>

#include "backend_state.cuh"
#include "unpack.cuh"

namespace jacobi::cuda {

template <class T>
std::shared_ptr<std::byte> CudaBackend<T>::message_memory(std::size_t bytes, bool on_device) {
    void* raw = nullptr;
    if (on_device) {
        JACOBI_CUDA(cudaMalloc(&raw, bytes));
        std::shared_ptr<std::byte> memory(static_cast<std::byte*>(raw), [](std::byte* p) { (void)cudaFree(p); });
        zero(raw, bytes);
        return memory;
    }
    // Pinned, and mapped: kernels store into it and load from it. Under unified addressing both sides use one address.
    JACOBI_CUDA(cudaHostAlloc(&raw, bytes, cudaHostAllocMapped));
    std::shared_ptr<std::byte> memory(static_cast<std::byte*>(raw), [](std::byte* p) { (void)cudaFreeHost(p); });
    void* device = nullptr;
    JACOBI_CUDA(cudaHostGetDevicePointer(&device, raw, 0));
    if (device != raw) throw Error("pinned memory has another address on the device: messages need unified addressing");
    std::memset(raw, 0, bytes);
    return memory;
}

template <class T>
void CudaBackend<T>::store_halos(Generation g, const std::vector<PackedHalo>& halos) {
    if (halos.empty()) return;
    UnpackArgs<T> args{};
    unsigned most = 1;
    for (const PackedHalo& halo : halos) {
        const Index3 n = halo.cells.extent();
        if (volume(n) > 0x7fffffff) throw Error("a message of more than 2^31 cells does not fit the kernel that stores it");
        auto& layer = args.layer[args.count++];
        layer.data = reinterpret_cast<const T*>(halo.data);
        layer.pitch = halo.pitch;
        layer.plane = halo.plane;
        for (int a = 0; a < 3; ++a) layer.extent[a] = static_cast<int>(n[a]);
        const FieldLayout& layout = setup_.layout;
        const Index3& lo = halo.cells.lo;
        XHalo place{layout.at(lo[0], lo[1], lo[2]), layout.pitch, layout.plane};
        if (layout.apart() && lo[0] != 0) place = layout.x_halo(lo[0] < 0 ? 0 : 1);  // a whole face: one layer has no edges
        layer.to = reinterpret_cast<T*>(setup_.fields[g & 1]) + place.first;
        layer.to_pitch = place.pitch;
        layer.to_plane = place.plane;
        most = std::max(most, static_cast<unsigned>((volume(n) + 255) / 256));
    }
    // The boundary stream: behind the last reader of these halo cells, the boundary kernels of pass g - 2 or a residual kernel,
    // and in front of those of pass g. The interior's stream reads no halo of a neighbour.
    const dim3 grid(static_cast<unsigned>(args.count),
                    std::min(most, 2u * static_cast<unsigned>(properties_.multiProcessorCount)));
    unpack_kernel<<<grid, 256, 0, boundary_stream_.get()>>>(args);
    JACOBI_CUDA(cudaGetLastError());
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
