// Bounds of the halo exchange, measured in the run that they are the bounds of: what ranks reach in each other's memory.
#pragma once

#include <array>
#include <string>

#include "edges.hpp"

namespace jacobi {

/// All ranks at once; rates are those of the slowest. Zero: not measured.
struct PeerRates {
    std::string memory;   ///< "ipc" or "shm": of neighbours; "self": a rank's own, where no rank maps another's; empty: none
    std::string reason;   ///< why something has not been measured
    double copy_gbs = 0;  ///< copies into a neighbour's field, 1e9 bytes moved a second
    std::array<double, 3> store_gbs{};  ///< stores by a kernel into a neighbour's halo on x, y and z faces of the block
    double flag_us = 0;                 ///< a flag, raised in a neighbour's memory and seen there, one way
};

/// Collective, before the first pass: overwrites the fields of generations 0 and 1 here and in the neighbours, and takes about
/// 0.1 s. Ranks that meet along an axis measure in pairs, so that no memory has two writers. `no_flags`: why kernels cannot wait
/// on this rank.
PeerRates measure_peer_rates(const Topology& topology, const Decomposition& decomposition, const std::vector<Edge>& edges,
                             const ArenaLayout& layout, PeerMemory& memory, Backend& backend, const std::string& no_flags,
                             double timeout_s);

}  // namespace jacobi
