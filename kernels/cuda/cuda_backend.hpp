// What the CUDA synchronisers need to see of the CUDA back end beyond Backend: its streams.
#pragma once

#include <cuda_runtime.h>

#include "backend.hpp"

namespace jacobi::cuda {

/// Common, untemplated part of the CUDA back end. The boundary stream carries the kernels that read and write halos, in order;
/// what is enqueued there after boundary(g) or whole(g) runs after every halo reader of pass g.
class CudaBackendBase : public Backend {
 public:
    virtual cudaStream_t boundary_stream() const = 0;
};

}  // namespace jacobi::cuda
