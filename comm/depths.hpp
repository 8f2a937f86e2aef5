// How many sweeps a pass does, and how many halo layers that takes.
#pragma once

#include <optional>
#include <string>

#include "backend.hpp"
#include "decomposition.hpp"
#include "topology.hpp"

namespace jacobi {

struct Depths {
    int temporal = 1;    ///< sweeps of a pass
    int halo = 1;        ///< layers exchanged in every pass, at least `temporal`
    std::string reason;  ///< why this temporal depth
};

struct DepthsAsked {
    std::optional<int> temporal;  ///< solver.temporal_depth
    std::optional<int> halo;      ///< comm.halo_depth
    std::string sync = "auto";    ///< comm.sync
    bool launch_bound = false;    ///< Backend::launch_bound of this rank's block
};

/// The layers that the thinnest block can give: its smallest extent along an axis on which it has a neighbour. A neighbour cannot
/// take more layers than the block has, and its cells behind them belong to the next rank. Without neighbours: 2^31 - 1.
int thinnest_block(const Decomposition& decomposition);

/// Collective, all ranks alike. Throws Error (collective) when the back end or the thinnest block cannot give what is asked.
Depths choose_depths(const Topology& topology, const Decomposition& decomposition, const Backend& backend, bool rhs,
                     const DepthsAsked& asked);

}  // namespace jacobi
