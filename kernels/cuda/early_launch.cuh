// Kernels that are set up while the one in front of them in the stream still ends (programmatic dependent launch).
#pragma once

#include <utility>

#include "handles.hpp"

namespace jacobi::cuda {

/// The first thing that a kernel launched by launch_early does: it lets the kernel behind it be set up, then waits until the one
/// in front of it has ended and its stores can be seen. That wait comes before every access to memory, so that streams order
/// kernels as ever; what is saved is the time between the last block of one and the first of the next.
__device__ inline void await_kernel_in_front() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

/// Launches a kernel that calls await_kernel_in_front(). `early`: if its code waits there; else, as any kernel.
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream, bool early,
                  Arguments&&... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    JACOBI_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

/// Does the code that runs here wait in await_kernel_in_front()? Code for older devices, compiled for this one when the program
/// started, does not, whatever the device can do.
template <class... Parameters>
bool waits_in_front(void (*kernel)(Parameters...)) {
    cudaFuncAttributes attributes{};
    JACOBI_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= 90;
}

}  // namespace jacobi::cuda
