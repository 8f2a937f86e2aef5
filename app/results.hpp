// What a run leaves behind: snapshots, the report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "collectives.hpp"
#include "halo_exchange.hpp"
#include "run_record.hpp"

namespace jacobi {

/// All calls are collective. The arguments outlive it; files and times go into the record.
class Results {
 public:
    Results(const Topology& topology, Backend& backend, const HaloExchange& exchange, const Config& config, const Guards& guards,
            RunRecord& record)
        : topology_(topology), backend_(backend), exchange_(exchange), config_(config), guards_(guards), record_(record) {}

    /// A snapshot of the exchange's current generation, with this check of it.
    void dump(const Check& check, const std::string& path);
    /// The snapshot at the end, where the deck wants one.
    void store_field();
    /// Rank 0 writes, and all ranks end alike if it cannot: to abort the job could cost the results that it has just printed.
    void store_report();

 private:
    const Topology& topology_;
    Backend& backend_;
    const HaloExchange& exchange_;
    const Config& config_;
    const Guards& guards_;
    RunRecord& record_;
    std::vector<std::pair<std::string, double>> dumps_;  ///< paths and sweeps
};

}  // namespace jacobi
