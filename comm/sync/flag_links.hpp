// What the rungs whose kernels wait have in common: the counters of a rank's edges, who may use them, what becomes of a wait.
#pragma once

#include "synchroniser.hpp"

namespace jacobi {

/// Links over all edges with a mapping, self edges included. `raise`: kernels raise the neighbours' counters too.
/// Collective: the ranks agree on the tiles of persistent passes.
FlagLinks flag_links(const SyncContext& context, bool raise);

/// Throws Error when a kernel's wait gave up; call when the device is done.
void require_no_flag_timeout(const SyncContext& context);

/// Why kernels that wait cannot run here, else empty: ranks that share a device without MPS, or launches that block.
std::string waiting_kernels_fault(const SyncContext& context);
/// The same, and empty with comm.force; but never where halos travel as messages.
std::string refuse_waiting_kernels(const SyncContext& context);

/// A rung whose kernels await and raise for themselves: it issues passes (advance) and, between batches, a wait (await).
class KernelSync : public Synchroniser {
 public:
    using Synchroniser::Synchroniser;
    void start() override { c_.backend.use_flags(flag_links(c_, true)); }
    void raise(Generation) override {}
    void check() override { require_no_flag_timeout(c_); }
    bool overlaps() const override { return false; }
};

}  // namespace jacobi
