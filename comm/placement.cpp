#include "placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "edges.hpp"

#if defined(JACOBI_HAVE_HWLOC)
#include <hwloc.h>
#endif

namespace jacobi {

int bound_numa_node() {
    int node = -1;
#if defined(JACOBI_HAVE_HWLOC)
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return -1;
    if (hwloc_topology_load(topology) == 0) {
        const hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
        const hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
        if (hwloc_get_cpubind(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0) {
            hwloc_cpuset_to_nodeset(topology, cpus, nodes);
            if (hwloc_bitmap_weight(nodes) == 1) node = hwloc_bitmap_first(nodes);
        }
        hwloc_bitmap_free(cpus);
        hwloc_bitmap_free(nodes);
    }
    hwloc_topology_destroy(topology);
#endif
    return node;
}

std::vector<int> assign_devices(const std::vector<RankDevices>& ranks) {
    std::vector<int> chosen;
    std::map<std::string, int> load;
    for (const RankDevices& r : ranks) {
        const auto cost = [&](const Device& d) { return std::pair(load[d.uuid], r.numa >= 0 && d.numa == r.numa ? 0 : 1); };
        const auto best = std::min_element(r.devices.begin(), r.devices.end(),
                                           [&](const Device& a, const Device& b) { return cost(a) < cost(b); });
        ++load[best->uuid];
        chosen.push_back(static_cast<int>(best - r.devices.begin()));
    }
    return chosen;
}

Placement place_rank(const Topology& topology, const DeviceList& visible) {
    std::string mine = fmt::format("{}\n", bound_numa_node());
    for (const Device& d : visible.devices) mine += fmt::format("{} {} {} {}\n", d.ordinal, d.uuid, d.numa, d.pci);
    std::vector<RankDevices> ranks;
    for (const std::string& text : gather_texts(topology.machine.get(), mine)) {
        std::istringstream in(text);
        RankDevices r;
        in >> r.numa;
        for (Device d; in >> d.ordinal >> d.uuid >> d.numa >> d.pci;) r.devices.push_back(d);
        if (r.devices.empty()) {
            throw Error(
                fmt::format(
                    "device.backend: cuda, but rank {} of node {} sees no CUDA device: check CUDA_VISIBLE_DEVICES and the "
                    "launcher's GPU binding",
                    ranks.size(), topology.host),
                Exit::failure);
        }
        ranks.push_back(std::move(r));
    }
    const std::vector<int> chosen = assign_devices(ranks);
    const auto uuid = [&](std::size_t r) { return ranks[r].devices[chosen[r]].uuid; };
    Placement placement;
    const std::size_t self = topology.machine.rank();
    placement.device = visible.devices[chosen[self]];
    placement.sharers = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) placement.sharers += uuid(r) == uuid(self) ? 1 : 0;
    return placement;
}

}  // namespace jacobi
