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
        int lo[3], extent[3];
    };
    Layer layer[Direction::count];
    int count;
};
static_assert(sizeof(UnpackArgs<double>) + 64 <= 4096, "kernel parameters");

/// `u`: cell (0, 0, 0) of the field. blockIdx.x is the layer; neighbouring threads take neighbouring cells of the message, which
/// may come over PCIe from the host's memory.
template <class T>
__global__ void __launch_bounds__(256) unpack_kernel(T* u, Index pitch, Index plane, const UnpackArgs<T> args) {
    const typename UnpackArgs<T>::Layer& layer = args.layer[blockIdx.x];
    const unsigned nx = static_cast<unsigned>(layer.extent[0]), ny = static_cast<unsigned>(layer.extent[1]);
    const unsigned total = nx * ny * static_cast<unsigned>(layer.extent[2]);
    for (unsigned i = blockIdx.y * blockDim.x + threadIdx.x; i < total; i += gridDim.y * blockDim.x) {
        const unsigned x = i % nx, row = i / nx, y = row % ny, z = row / ny;
        const T value = layer.data[x + y * layer.pitch + z * layer.plane];
        u[(layer.lo[0] + static_cast<int>(x)) + (layer.lo[1] + static_cast<int>(y)) * pitch +
          (layer.lo[2] + static_cast<int>(z)) * plane] = value;
    }
}

}  // namespace jacobi::cuda
