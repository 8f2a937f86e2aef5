// Reductions over all ranks whose wait is bounded, for use between batches of sweeps.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sync/notice_board.hpp"
#include "topology.hpp"

namespace jacobi {

class Reduction {
 public:
    /// The arguments outlive it. On the notice board a rank announces the generation with which it comes to a reduction, so that
    /// the error of those who wait in vain names the ranks of their node that have not.
    Reduction(const Topology& topology, NoticeBoard& notices, double timeout_s)
        : topology_(topology), notices_(notices), timeout_s_(timeout_s) {}

    // Element-wise over all ranks, in place, between generation g and the next: this rank has finished the passes before g.
    // `what` is for the error after comm.timeout_s.
    void max(std::span<std::uint64_t> values, Generation g, const char* what) { reduce(values, MPI_MAX, g, what); }
    void sum(std::span<std::uint64_t> values, Generation g, const char* what) { reduce(values, MPI_SUM, g, what); }

 private:
    void reduce(std::span<std::uint64_t> values, MPI_Op op, Generation g, const char* what);
    /// Who keeps the others waiting, as far as this node's notices tell.
    std::string late(Generation g) const;

    const Topology& topology_;
    NoticeBoard& notices_;
    double timeout_s_;
};

}  // namespace jacobi
