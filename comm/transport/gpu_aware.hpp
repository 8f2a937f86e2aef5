// Does this MPI read and write device memory?
#pragma once

#include "message_transport.hpp"

namespace jacobi {

struct GpuAware {
    bool proved = false;
    std::string how;  ///< for the reason of an edge
};

/// Collective. MPI's own word is needed first, since a library that cannot do it crashes on a device pointer; then a pattern must
/// pass along every message edge, from private device memory to private device memory. All ranks get the same answer.
GpuAware prove_gpu_aware(const MessageContext& context);

}  // namespace jacobi
