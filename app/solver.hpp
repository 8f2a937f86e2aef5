// The loop over batches of sweeps: residual checks, stopping, dumps. Knows nothing of kernels, memory or messages.
#pragma once

#include <functional>

#include "halo_exchange.hpp"
#include "reduction.hpp"
#include "run_record.hpp"

namespace jacobi {

class Solver {
 public:
    struct Hooks {
        /// Rank 0's view of the progress, once a batch.
        std::function<void(const RunRecord&)> progress;
        /// Collective: a dump is due after this sweep, which is not the last one; the field is that of the exchange's current
        /// generation.
        std::function<void(const Check&)> dump;
    };

    Solver(const Topology& topology, HaloExchange& exchange, Backend& backend, const Config& config);

    /// Collective. Runs to the end, to the tolerance, or until the residual is no longer finite; all ranks stop in the same
    /// sweep. Fills iterations, converged, diverged, checks and the times of `record`.
    void run(RunRecord& record, const Hooks& hooks);

    /// Collective: residual of the current generation.
    Check check();

 private:
    bool due(Index every, Index iteration) const { return every > 0 && iteration % every == 0; }
    /// Sweeps until the next check, dump or the end.
    Index next_stop(Index iteration) const;
    void batch(Index sweeps, RunRecord& record);
    void gather_phases(RunRecord& record, Index sweeps);

    const Topology& topology_;
    HaloExchange& exchange_;
    Backend& backend_;
    const Config& config_;
    Index batch_limit_;  ///< sweeps that take about a second, in whole passes, agreed by rank 0
    Reduction reduction_;
    PhaseTimes sampled_;
};

}  // namespace jacobi
