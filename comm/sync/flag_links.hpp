// The counters of a rank's edges, for rungs whose kernels wait.
#pragma once

#include "synchroniser.hpp"

namespace jacobi {

/// Links over all edges with a mapping, self edges included. `raise`: kernels raise the neighbours' counters too.
/// Collective: the ranks agree on the tiles of persistent passes.
FlagLinks flag_links(const SyncContext& context, bool raise);

/// Throws Error when a kernel's wait gave up; call when the device is done.
void require_no_flag_timeout(const SyncContext& context);

/// Why kernels that wait cannot run here, else empty: messages, ranks that share a device without MPS, or launches that block.
std::string refuse_waiting_kernels(const SyncContext& context);

/// The same for persistent passes, which may be less deep than others.
std::string refuse_persistent(const SyncContext& context);

}  // namespace jacobi
