// Layers that came as messages, stored into halos.
#pragma once

#include "backend.hpp"

namespace jacobi::cuda {

/// PackedHalo, once a direction at most, as a kernel parameter.
template <class T>
struct UnpackArgs {
    struct Layer {
        const T* data;
        Index pitch, plane;
        T* to;  ///< the halo's first cell
        Index to_pitch, to_plane;
        int extent[3];
    };
    Layer layer[Direction::count];
    int count;
};
static_assert(sizeof(UnpackArgs<double>) + 64 <= 4096, "kernel parameters");

/// blockIdx.x is the layer; neighbouring threads take neighbouring cells of the message, which
/// may come over PCIe from the host's memory.
template <class T>
__global__ void __launch_bounds__(256) unpack_kernel(const UnpackArgs<T> args) {
    const typename UnpackArgs<T>::Layer& layer = args.layer[blockIdx.x];
    const unsigned nx = static_cast<unsigned>(layer.extent[0]), ny = static_cast<unsigned>(layer.extent[1]);
    const unsigned total = nx * ny * static_cast<unsigned>(layer.extent[2]);
    for (unsigned i = blockIdx.y * blockDim.x + threadIdx.x; i < total; i += gridDim.y * blockDim.x) {
        const unsigned x = i % nx, row = i / nx, y = row % ny, z = row / ny;
        layer.to[x + y * layer.to_pitch + z * layer.to_plane] = layer.data[x + y * layer.pitch + z * layer.plane];
    }
}

}  // namespace jacobi::cuda
