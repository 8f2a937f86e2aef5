#include "machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "placement.hpp"
#include "sync/synchroniser.hpp"
#include "transport/message_transport.hpp"

namespace jacobi {

namespace {

#if defined(JACOBI_WITH_CUDA)
constexpr bool with_cuda = true;
#else
constexpr bool with_cuda = false;
#endif

int host_threads(const Topology& topology, const Config& config) {
    return config.device.threads.value_or(std::max(1, topology.cores / topology.machine.size()));
}

/// Every rank's line of the place table, made on each rank and gathered.
void gather_places(const Topology& topology, const RankPlace& mine, RunRecord& record) {
    const std::string line = fmt::format("{}\t{}\t{}\t{}", mine.device, mine.uuid, mine.pci, mine.sharers);
    const std::vector<std::string> lines = gather_texts(topology.world.get(), line);
    record.places.clear();
    for (int r = 0; r < topology.size(); ++r) {
        RankPlace place;
        std::istringstream in(lines[r]);
        std::getline(in, place.device, '\t');
        std::getline(in, place.uuid, '\t');
        std::getline(in, place.pci, '\t');
        in >> place.sharers;
        place.host = topology.host_of[r];
        place.node = topology.node_of[r];
        record.places.push_back(std::move(place));
    }
}

}  // namespace

Support build_support() {
    Support support;
    support.max_temporal_depth = support.max_halo_depth = std::numeric_limits<int>::max();  // the running machine says
    support.backends = {"host"};
    support.transports = {"shm"};
    if (with_cuda) {
        support.backends.push_back("cuda");
        support.transports.push_back("ipc");
    }
    for (const TransportKind& kind : message_transports()) support.transports.emplace_back(kind.name);
    support.virtual_nodes = true;
    for (const Rung& rung : rungs()) {
        if (std::find(support.rungs.begin(), support.rungs.end(), rung.name) == support.rungs.end())
            support.rungs.emplace_back(rung.name);
    }
    return support;
}

std::unique_ptr<Backend> make_backend(const Topology& topology, const Config& config, RunRecord& record,
                                      [[maybe_unused]] const Plans& plans) {
    DeviceList visible;
    if (config.device.backend != "host") visible = visible_devices();
    int usable = visible.devices.empty() ? 0 : 1, all = 0;
    MPI_Allreduce(&usable, &all, 1, MPI_INT, MPI_MIN, topology.world.get());
    std::string reason = visible.reason;
    if (all == 0 && config.device.backend != "host") {
        for (const std::string& text : gather_texts(topology.world.get(), visible.reason)) {
            if (reason.empty()) reason = text;
        }
    }
    if (config.device.backend == "cuda" && all == 0) {
        throw Error("device.backend: cuda cannot be had: " + reason, Exit::failure, true);
    }
    std::unique_ptr<Backend> backend;
    RankPlace place;
    if (all == 1) {
#if defined(JACOBI_WITH_CUDA)
        const Placement placement = place_rank(topology, visible);
        backend = make_cuda_backend(config.solver.precision, placement.device.ordinal, placement.sharers, plans);
        place.uuid = placement.device.uuid;
        place.pci = placement.device.pci;
        place.sharers = placement.sharers;
        record.backend_reason = config.device.backend == "cuda" ? "asked for" : "every rank sees a device";
#endif
    } else {
        backend = make_host_backend(config.solver.precision, host_threads(topology, config));
        record.backend_reason = config.device.backend == "host" ? "asked for" : reason;
    }
    place.device = backend->device_name();
    record.backend = backend->name();
    gather_places(topology, place, record);
    const auto shared = std::max_element(record.places.begin(), record.places.end(),
                                         [](const RankPlace& a, const RankPlace& b) { return a.sharers < b.sharers; });
    record.multi_process_service = backend->name() == "cuda" && multi_process_service();
    if (shared->sharers > 1) {
        record.warnings.push_back(
            record.multi_process_service
                ? fmt::format("{} ranks share one GPU ({}) under MPS: each has a part of it", shared->sharers, shared->uuid)
                : fmt::format("{} ranks share one GPU ({}): right, but their kernels take turns; use one rank a GPU, or MPS, "
                              "to measure",
                              shared->sharers, shared->uuid));
    }
    return backend;
}

std::string transport_line(const TransportKind& kind, const std::string& no_cuda) {
    std::string lack;
    if (kind.make == nullptr) {
        lack = ": not in this build";
    } else if (kind.backend == std::string("cuda") && !no_cuda.empty()) {
        lack = ": not usable, " + no_cuda;
    }
    return fmt::format("  {:<6} {}{}\n", kind.name, kind.summary, lack);
}

std::string list_machine(const Topology& topology) {
    const DeviceList visible = visible_devices();
    std::string text = "back ends\n";
    const auto ranks = static_cast<std::size_t>(topology.machine.size());
    text += fmt::format("  host   {} a rank (device.threads: auto, {} rank{} on {} of this machine's cores)\n",
                        make_host_backend(Precision::float64, host_threads(topology, {}))->device_name(), ranks,
                        ranks == 1 ? "" : "s", topology.cores);
    if (visible.devices.empty()) {
        text += fmt::format("  cuda   not usable: {}\n", visible.reason);
    } else {
        text += fmt::format("  cuda   {} device{}\n", visible.devices.size(), visible.devices.size() == 1 ? "" : "s");
        for (const Device& d : visible.devices) {
            text += fmt::format("    {}  {}  {}  {}{}\n", d.ordinal, d.name, d.uuid, d.pci,
                                d.numa >= 0 ? fmt::format("  NUMA node {}", d.numa) : "");
        }
    }
    text +=
        "transports\n  self   own neighbour on a periodic axis\n  shm    MPI-3 shared windows, between ranks of a node (host "
        "back end)\n";
    text += fmt::format("  ipc    CUDA IPC, between ranks of a node (CUDA back end){}\n",
                        visible.devices.empty() ? ": not usable, " + visible.reason : std::string());
    for (const auto* kinds : {&message_transports(), &lacking_transports()}) {
        for (const TransportKind& kind : *kinds) text += transport_line(kind, visible.devices.empty() ? visible.reason : "");
    }
    text += "rungs (comm.sync)\n";
    for (const Rung& rung : rungs())
        text += fmt::format("  {:<8} {:<5} {}\n", rung.name, *rung.backend != '\0' ? rung.backend : "any", rung.summary);
    return text;
}

}  // namespace jacobi
