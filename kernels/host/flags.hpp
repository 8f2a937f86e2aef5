// Flags raised and awaited by the threads that compute: the host's counterpart of cuda/flags.cuh.
#pragma once

#include <atomic>

#include "backend.hpp"

namespace jacobi::host {

class Flags {
 public:
    void use(const FlagLinks& links) { links_ = links; }
    bool in_use() const { return !links_.links.empty(); }

    /// Called by every thread before it reads a halo or stores into a neighbour: spins, then yields, until all links have reached
    /// generation g, each look an acquire. False: this or another thread's wait gave up.
    bool await(Generation g);
    /// Called by one thread after all have passed a barrier behind their last halo read and peer store (streaming stores fenced).
    void raise(Generation g);

    std::optional<FlagTimeout> timeout() const;

 private:
    bool await(const FlagLinks::Link& link, Generation g);

    FlagLinks links_;
    std::atomic<bool> failed_{false};
    std::atomic<bool> recorded_{false};
    FlagTimeout timeout_{};
};

/// Backend::flag_rounds, by the calling thread.
FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds);

}  // namespace jacobi::host
