#include "advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "advice_parts.hpp"

namespace jacobi::doctor {

const char* name(Severity severity) {
    switch (severity) {
        case Severity::ok: return "OK";
        case Severity::note: return "NOTE";
        default: return "FAIL";
    }
}

std::vector<const RankFacts*> live_ranks(const Examination& e) {
    std::vector<const RankFacts*> live;
    for (const RankFacts& r : e.ranks) {
        if (r.lost.empty()) live.push_back(&r);
    }
    return live;
}

bool on_gpus(const Examination& e) {
    const auto live = live_ranks(e);
    return !live.empty() && std::all_of(live.begin(), live.end(), [](const RankFacts* r) { return !r->devices.empty(); });
}

int node_count(const Examination& e) {
    int highest = -1;
    for (const RankFacts& r : e.ranks) highest = std::max(highest, r.node);
    return highest + 1;
}

bool opening_failed(const Examination& e) {
    return std::any_of(e.pairs.begin(), e.pairs.end(),
                       [](const PairResult& p) { return p.transport == "ipc" && p.memory.failed(); });
}

std::string ranks_text(const std::vector<int>& ranks) {
    constexpr std::size_t shown = 8;
    if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
    const bool more = ranks.size() > shown;
    const std::size_t listed = more ? shown : ranks.size() - 1;
    const auto first = std::vector<int>(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(listed));
    const std::string rest = more ? fmt::format("{} more", ranks.size() - shown) : fmt::format("{}", ranks.back());
    return fmt::format("ranks {} and {}", fmt::join(first, ", "), rest);
}

const DeviceFacts* driven(const RankFacts& rank) {
    return rank.device >= 0 && rank.device < static_cast<int>(rank.devices.size()) ? &rank.devices[rank.device] : nullptr;
}

namespace {

/// "node07, process 4711, stopped".
std::string place(const RankFacts& r) {
    return fmt::format("{}, process {}{}{}", r.host, r.pid, r.state.empty() ? "" : ", ", r.state);
}

void advise_on_stuck(const Examination& e, std::vector<Finding>& findings) {
    std::string suspects;
    for (const RankFacts& r : e.ranks) {
        if (!r.state.empty()) suspects += fmt::format("; rank {} ({})", r.rank, place(r));
    }
    findings.push_back(
        {Severity::fail, "ranks",
         fmt::format("the step \"{}\" did not end within its limit, and the examination with it{}", e.stuck, suspects),
         "jacobi would hang in the same place until its watchdog ends it",
         "all ranks not named as lost had reported before this step: look for one that has been stopped since, for a driver that "
         "does not answer, and at MPI's own shared memory"});
}

void advise_on_nodes(const Examination& e, std::vector<Finding>& findings) {
    std::map<std::string, std::set<int>> nodes_of_kernel;  // by boot id
    for (const RankFacts* r : live_ranks(e)) {
        if (r->node >= 0 && !r->boot_id.empty()) nodes_of_kernel[r->boot_id].insert(r->node);
    }
    for (const auto& [id, nodes] : nodes_of_kernel) {
        if (nodes.size() < 2) continue;
        std::vector<int> ranks;
        for (const RankFacts* r : live_ranks(e)) {
            if (r->boot_id == id) ranks.push_back(r->rank);
        }
        findings.push_back(
            {Severity::fail, "ranks",
             fmt::format("{} run on one machine (same boot id), but MPI takes it for {} nodes", ranks_text(ranks), nodes.size()),
             "edges between them go over comm.transport: mpi, not ipc or shm; sync: event cannot be used between them",
             "start all ranks of a machine through one mpirun daemon and in one container: one host name, one IPC namespace"});
    }
}

}  // namespace

void advise_on_ranks(const Examination& e, std::vector<Finding>& findings) {
    std::map<std::string, std::vector<int>> lost;  // by step
    for (const RankFacts& r : e.ranks) {
        if (!r.lost.empty()) lost[r.lost].push_back(r.rank);
    }
    for (const auto& [step, ranks] : lost) {
        std::vector<std::string> places;
        for (const int r : ranks) {
            if (!e.ranks[r].host.empty()) places.push_back(place(e.ranks[r]));
        }
        const std::string where = places.empty() ? "" : fmt::format(" ({})", fmt::join(places, "; "));
        findings.push_back(
            {Severity::fail, "ranks",
             fmt::format("{}{} did not report from the step \"{}\" within the limit", ranks_text(ranks), where, step),
             "jacobi would wait for it until its own time limit and end; nothing below concerns it",
             "look at that process: stopped, waiting for a driver or a file system, or its machine unreachable; on a slow "
             "machine raise the limit with --timeout"});
    }
    if (!e.stuck.empty()) advise_on_stuck(e, findings);
    advise_on_nodes(e, findings);
    if (e.ranks.size() == 1) {
        findings.push_back({Severity::note, "ranks", "one rank alone: there is no pair to examine", "",
                            "mpirun -np 2 ./doctor, or as many ranks as GPUs"});
    }
    if (findings.empty()) {
        const int nodes = node_count(e);
        findings.push_back({Severity::ok, "ranks",
                            fmt::format("{} ranks on {} node{} report", e.ranks.size(), nodes, nodes == 1 ? "" : "s"), "", ""});
    }
}

void advise_on_mpi(const Examination& e, std::vector<Finding>& findings) {
    const auto add = [&](Severity severity, const std::string& what, const std::string& means, const std::string& change) {
        findings.push_back({severity, "MPI", what, means, change});
    };
    const std::size_t before = findings.size();
    if (e.mpi.thread_level != "multiple") {
        add(Severity::note, fmt::format("MPI grants thread level {}, not multiple", e.mpi.thread_level),
            "a run that gets stuck ends without MPI_Abort; its launcher has to notice", "an MPI built with MPI_THREAD_MULTIPLE");
    }
    const int nodes = node_count(e);
    if (nodes > 1 && on_gpus(e) && e.mpi.gpu_aware != "yes") {
        add(Severity::note,
            fmt::format("{} nodes, and MPI is not known to take GPU memory (GPU-aware: {})", nodes, e.mpi.gpu_aware),
            "edges between nodes (transport: mpi) are staged through pinned host memory",
            "an MPI built with CUDA support, for example over UCX");
    }
    for (int node = 0; node < static_cast<int>(e.cores.size()); ++node) {
        const auto live = live_ranks(e);
        const auto ranks = std::count_if(live.begin(), live.end(), [&](const RankFacts* r) { return r->node == node; });
        if (ranks <= e.cores[node]) continue;
        add(Severity::note,
            fmt::format("node {} is oversubscribed: {} ranks on {} core{}", node, ranks, e.cores[node],
                        e.cores[node] == 1 ? "" : "s"),
            "right, but slow: waiting ranks yield their core, latencies are those of the scheduler",
            "at most a rank a core to measure; OMPI_MCA_mpi_yield_when_idle=1 otherwise");
    }
    if (findings.size() == before) {
        add(Severity::ok, fmt::format("{}, thread level {}, GPU-aware: {}", e.mpi.library, e.mpi.thread_level, e.mpi.gpu_aware),
            "", "");
    }
}

std::vector<Finding> advise(const Examination& e) {
    std::vector<Finding> findings;
    for (const auto part : {advise_on_ranks, advise_on_devices, advise_on_pairs, advise_on_shared_memory, advise_on_mpi}) {
        std::vector<Finding> some;
        part(e, some);
        std::stable_sort(some.begin(), some.end(), [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
        findings.insert(findings.end(), some.begin(), some.end());
    }
    return findings;
}

bool full_function(const std::vector<Finding>& findings) {
    return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::fail; });
}

}  // namespace jacobi::doctor
