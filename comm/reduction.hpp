// Reductions over all ranks whose wait is bounded, for use between batches of sweeps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sync/notice_board.hpp"
#include "topology.hpp"

namespace jacobi {

class Reduction {
 public:
    /// The arguments outlive it. All ranks make the same reductions, and count them on the notice board: so the error of one that
    /// waits in vain can name the ranks of its node that have not come, or have stopped since they came.
    Reduction(const Topology& topology, NoticeBoard& notices, double timeout_s)
        : topology_(topology), notices_(notices), timeout_s_(timeout_s) {}

    // Element-wise over all ranks, in place. `g`, this rank's generation, and `what` are for the error after comm.timeout_s.
    void max(std::span<std::uint64_t> values, Generation g, const char* what) { reduce(values, MPI_MAX, g, what); }
    void sum(std::span<std::uint64_t> values, Generation g, const char* what) { reduce(values, MPI_SUM, g, what); }

 private:
    void reduce(std::span<std::uint64_t> values, MPI_Op op, Generation g, const char* what);
    /// "rank 1 (node07, seen at 17) has"; the first few of many.
    std::string named(const std::vector<int>& ranks) const;
    /// Who keeps the others waiting, as far as this node's notices tell.
    std::string late() const;

    const Topology& topology_;
    NoticeBoard& notices_;
    double timeout_s_;
    Generation count_ = 0;
};

}  // namespace jacobi
