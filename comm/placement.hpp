// Which GPU a rank drives.
#pragma once

#include <string>
#include <vector>

#include "devices.hpp"
#include "topology.hpp"

namespace jacobi {

/// What one rank of a node offers: the devices it sees, in its own order, and the NUMA node it is bound to (-1: to none).
struct RankDevices {
    std::vector<Device> devices;
    int numa = -1;
};

/// Index into each rank's own list, in node-rank order: each rank takes, of its visible devices, one that the fewest ranks before
/// it took; of those one near its NUMA node; of those the first. Every list must be non-empty.
std::vector<int> assign_devices(const std::vector<RankDevices>& ranks);

struct Placement {
    Device device;    ///< this rank's
    int sharers = 1;  ///< ranks of the machine on the same device, this one included
};

/// Collective over the machine (pretended nodes share its devices). Devices are told apart by UUID. Throws Error naming the ranks
/// that see no device.
Placement place_rank(const Topology& topology, const DeviceList& visible);

/// NUMA node that the calling process is bound to, -1 when to several or when hwloc is not in this build.
int bound_numa_node();

}  // namespace jacobi
