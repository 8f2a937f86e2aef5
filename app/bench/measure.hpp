// One configuration from set-up to tear-down, on all ranks together.
#pragma once

#include <map>
#include <memory>

#include "collectives.hpp"
#include "digests.hpp"
#include "plans.hpp"
#include "row.hpp"
#include "topology.hpp"

namespace jacobi::bench {

struct Effort {
    int repeats = 3;
    double seconds = 0.3;       ///< of a repeat
    double copy_seconds = 0.2;  ///< of the copies that give the bound
    Index verified_sweeps = 13;
};

class Bench {
 public:
    /// `timeout_s`: comm.timeout_s of all configurations.
    Bench(const Topology& topology, const Common& common, const Plans& plans, int thread_level, double timeout_s)
        : topology_(topology), common_(common), plans_(plans), thread_level_(thread_level), guards_(timeout_s, topology) {}

    /// Collective. Times a configuration and compares its bits with those of the plainest one. What is refused (by the build, the
    /// back end, the rung, the blocks) is the row's refusal; any other fault is thrown.
    Row measure(const Case& asked, const Effort& effort);

 private:
    struct Exchange;
    // What all ranks wait in without a limit of their own. Sweeps have one.
    std::unique_ptr<Exchange> set_up(const Case& asked, double copy_seconds);
    std::uint64_t digest(Exchange& exchange, const Case& asked);
    void tear_down(Exchange& exchange, const Case& asked);

    Row timed(const Case& asked, const Effort& effort);
    /// Collective. Sweeps, in whole passes, that take about so many seconds; found by longer and longer runs.
    static Index sweeps_of(Exchange& exchange, double seconds);
    /// The digest of a configuration after so many sweeps, each computed once.
    std::uint64_t digest_of(const Case& asked, Index sweeps);
    /// Enters the plainest configuration's digest, where there is none of this problem, size and precision.
    void require_first(const Case& asked, Index sweeps);

    const Topology& topology_;
    const Common& common_;
    Plans plans_;
    int thread_level_;
    Guards guards_;
    Digests digests_;
    std::map<std::string, std::uint64_t> known_;  ///< digests by text(case)
};

}  // namespace jacobi::bench
