// From the deck's device.plan to where a back end gets its plans from.
#pragma once

#include "config.hpp"
#include "plans.hpp"
#include "topology.hpp"

namespace jacobi {

/// Collective: rank 0 reads a plan's file for all. Throws Error (usage) where that cannot be used.
Plans plans_of(const Config& config, const Topology& topology);

}  // namespace jacobi
