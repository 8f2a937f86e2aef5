// What /dev/shm, namespaces and the shared window mean.
#include <fmt/format.h>

#include <map>
#include <set>

#include "advice_parts.hpp"

namespace jacobi::doctor {
namespace {

std::vector<const RankFacts*> on_node(const Examination& e, int node) {
    std::vector<const RankFacts*> ranks;
    for (const RankFacts* r : live_ranks(e)) {
        if (r->node == node) ranks.push_back(r);
    }
    return ranks;
}

std::set<std::string> pid_namespaces(const std::vector<const RankFacts*>& ranks) {
    std::set<std::string> names;
    for (const RankFacts* r : ranks) names.insert(r->pid_namespace);
    return names;
}

void advise_on_window(const Examination& e, int node, std::vector<Finding>& findings) {
    const Outcome& window = e.windows[node];
    const auto ranks = on_node(e, node);
    if (ranks.size() < 2) return;
    const RankFacts& first = *ranks[0];
    const auto add = [&](Severity severity, const std::string& what, const std::string& means, const std::string& change) {
        findings.push_back({severity, "shared memory", what, means, change});
    };
    const std::string enlarge = fmt::format(
        "enlarge {} (containers: --shm-size=8g, or --ipc=host), or set OMPI_MCA_osc_sm_backing_directory to a folder with room",
        first.shm_folder);
    if (window.failed()) {
        const bool says_it = window.detail.find("enlarge") != std::string::npos || pid_namespaces(ranks).size() > 1;
        add(Severity::fail, fmt::format("node {}: no shared window: {}", node, window.detail),
            "the host back end has no transport: shm, the CUDA back end no sync: event: its notices go through such a window",
            says_it ? "" : enlarge);
        return;
    }
    if (!window.ok()) return;
    constexpr double comfortable_mib = 1024;  // what scripts/run asks for
    if (first.shm_free_mib < comfortable_mib) {
        add(Severity::note,
            fmt::format("node {}: {} has {:.0f} of {:.0f} MiB free", node, first.shm_folder, first.shm_free_mib, first.shm_mib),
            fmt::format("the host back end keeps its fields there: all ranks of the node together at most about {:.1f} million "
                        "cells in double",
                        first.shm_free_mib * (1 << 20) / 16 / 1e6),
            enlarge);
    }
    if (findings.empty())
        add(Severity::ok, fmt::format("shared windows work; {} has {:.0f} MiB free", first.shm_folder, first.shm_free_mib), "",
            "");
}

/// Processes of several containers on one machine.
void advise_on_namespaces(const Examination& e, int node, std::vector<Finding>& findings) {
    const std::set<std::string> pids = pid_namespaces(on_node(e, node));
    std::set<std::string> ipcs;
    for (const RankFacts* r : on_node(e, node)) ipcs.insert(r->ipc_namespace);
    if (pids.size() > 1) {
        findings.push_back(
            {opening_failed(e) || e.windows[node].failed() ? Severity::fail : Severity::note, "shared memory",
             fmt::format("node {}: its ranks live in {} PID namespaces", node, pids.size()),
             "CUDA IPC (transport: ipc) does not work between most such processes, and Open MPI's single copies may fail or "
             "read from a wrong process",
             "all ranks of a node in one container, or containers with --pid=host; for Open MPI 4 alone "
             "OMPI_MCA_btl_vader_single_copy_mechanism=none"});
    }
    if (ipcs.size() > 1) {
        findings.push_back({Severity::note, "shared memory",
                            fmt::format("node {}: its ranks live in {} IPC namespaces", node, ipcs.size()),
                            "shared windows and CUDA IPC may fail between them", "containers with --ipc=host"});
    }
}

}  // namespace

void advise_on_shared_memory(const Examination& e, std::vector<Finding>& findings) {
    for (int node = 0; node < static_cast<int>(e.windows.size()); ++node) {
        advise_on_window(e, node, findings);
        advise_on_namespaces(e, node, findings);
    }
}

}  // namespace jacobi::doctor
