// How much memory the ranks of a place would use together, and how much is free there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend.hpp"
#include "topology.hpp"

namespace jacobi {

struct MemoryNeed {
    std::string kind;   ///< "memory", "shared memory in /dev/shm", "device memory"
    std::string where;  ///< the machine or the device
    std::uint64_t needed = 0, free = 0;
    bool fits() const { return needed <= free; }
    /// "24.6 GiB of memory on node07, where 15.1 GiB are free"
    std::string text() const;
};

/// Collective, the same on all ranks: of each kind the place that has least to spare. `arena` and `rhs`: bytes of this rank, of
/// which only the arena is shared; `sharers`: ranks on its device. Kinds that the system does not speak of are left out.
std::vector<MemoryNeed> memory_needs(const Topology& topology, const Backend& backend, std::uint64_t arena, std::uint64_t rhs,
                                     int sharers);

}  // namespace jacobi
