// Reductions over all ranks whose wait is bounded, for use between batches of sweeps.
#pragma once

#include <cstdint>
#include <span>

#include "topology.hpp"

namespace jacobi {

class Reduction {
 public:
    Reduction(const Topology& topology, double timeout_s) : topology_(topology), timeout_s_(timeout_s) {}

    // Element-wise over all ranks, in place. `what` is for the error after comm.timeout_s.
    void max(std::span<std::uint64_t> values, const char* what) const { reduce(values, MPI_MAX, what); }
    void sum(std::span<std::uint64_t> values, const char* what) const { reduce(values, MPI_SUM, what); }

 private:
    void reduce(std::span<std::uint64_t> values, MPI_Op op, const char* what) const;

    const Topology& topology_;
    double timeout_s_;
};

}  // namespace jacobi
