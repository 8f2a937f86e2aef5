// What a run is, as people read it before its first sweep.
#include "terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "terminal_parts.hpp"

namespace jacobi {
namespace {

template <class T>
std::string times(const std::array<T, 3>& values) {
    return fmt::format("{}", fmt::join(values, " x "));
}

std::string bytes(double count) {
    const double mib = count / (1 << 20);
    return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}
/// The same for what may be small.
std::string few_bytes(double count) { return count < (1 << 20) ? fmt::format("{:.1f} KiB", count / 1024) : bytes(count); }

/// "1 rank", "8 ranks".
std::string counted(std::size_t count, const char* noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

std::string with_reason(const std::string& choice, const std::string& reason) {
    return reason.empty() ? choice : fmt::format("{} ({})", choice, reason);
}

std::string problem_line(const RunRecord& record) {
    const Config& c = record.config;
    const Grid& grid = c.problem.grid;
    std::string text = fmt::format("{} on {} cells, {}", name(c.problem.kind), times(grid.cells), name(c.solver.precision));
    std::string axes;
    for (int a = 0; a < 3; ++a) {
        if (grid.periodic[a]) axes += axis_names[a];
    }
    if (!axes.empty()) text += ", periodic in " + axes;
    text += fmt::format(", {} sweeps", c.solver.iterations);
    if (c.solver.tolerance > 0) text += fmt::format(" at most, tolerance {}", c.solver.tolerance);
    return text;
}

/// "8 ranks on 1 node (node07)"; the first few hosts' names.
std::string ranks_line(const RunRecord& record) {
    constexpr std::size_t shown = 4;
    std::vector<std::string> hosts;
    for (const RankPlace& p : record.places) {
        if (std::find(hosts.begin(), hosts.end(), p.host) == hosts.end()) hosts.push_back(p.host);
    }
    const bool more = hosts.size() > shown;
    if (more) hosts.resize(shown);
    return fmt::format("{} on {} ({}{})", counted(record.ranks, "rank"), counted(record.nodes, "node"), fmt::join(hosts, ", "),
                       more ? ", ..." : "");
}

/// "2 x NVIDIA H200, shared by 8 ranks"; on the host "each AVX-512, 1 thread".
std::string devices_line(const RunRecord& record) {
    struct Group {
        std::set<std::string> uuids;
        std::size_t ranks = 0;
    };
    std::map<std::string, Group> groups;
    for (const RankPlace& p : record.places) {
        Group& group = groups[p.device];
        if (!p.uuid.empty()) group.uuids.insert(p.uuid);
        ++group.ranks;
    }
    std::vector<std::string> texts;
    for (const auto& [device, group] : groups) {
        if (group.uuids.empty()) {
            texts.push_back(groups.size() == 1 ? "each " + device : fmt::format("{}: {}", counted(group.ranks, "rank"), device));
        } else {
            const bool shared = group.ranks > group.uuids.size();
            texts.push_back(fmt::format("{} x {}{}", group.uuids.size(), device,
                                        shared ? fmt::format(", shared by {} ranks", group.ranks) : ""));
        }
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

std::string decomposition_line(const RunRecord& record) {
    std::string text = times(record.decomposition);
    if (record.places.empty()) return text;
    const auto smaller = [](const RankPlace& a, const RankPlace& b) { return a.block.cells() < b.block.cells(); };
    const auto [least, most] = std::minmax_element(record.places.begin(), record.places.end(), smaller);
    const std::string low = times(least->block.extent()), high = times(most->block.extent());
    return text + (low == high ? fmt::format(", blocks of {} cells", low) : fmt::format(", blocks of {} to {} cells", low, high));
}

/// "4 mpi, 20 shm; a sweep moves 0.5 MiB mpi, 2.5 MiB shm".
std::string transports_line(const RunRecord& record) {
    std::vector<std::string> counts, amounts;
    for (const auto& [transport, traffic] : record.traffic()) {
        counts.push_back(fmt::format("{} {}", traffic.edges, transport));
        amounts.push_back(fmt::format("{} {}", few_bytes(traffic.bytes_per_sweep), transport));
    }
    if (counts.empty()) return "none";
    return fmt::format("{}; a sweep moves {}", fmt::join(counts, ", "), fmt::join(amounts, ", "));
}

/// "measured in 0.31 s (none was kept; kept in /home/me/.cache/jacobi/plans/...)", "cached on 3 ranks, measured on 1 rank (...)";
/// nothing where there is nothing to choose and nothing was asked for.
std::string plan_line(const RunRecord& record) {
    constexpr double noticeable = 0.1;  // seconds
    const PlanOrigin& plan = record.plan;
    if (plan.source.empty())
        return record.config.device.plan == "auto" || plan.reason.empty() ? "" : with_reason("not applicable", plan.reason);
    std::string text = plan.source;
    if (record.plan_sources.size() > 1) {
        std::vector<std::string> parts;
        for (const auto& [source, ranks] : record.plan_sources)
            parts.push_back(fmt::format("{} on {}", source, counted(ranks, "rank")));
        text = fmt::format("{}", fmt::join(parts, ", "));
    }
    if (plan.seconds > noticeable) text += fmt::format(" in {:.2f} s", plan.seconds);
    if (plan.source != "measured") return with_reason(text, plan.file);
    return with_reason(text, plan.file.empty() ? plan.reason : plan.reason + "; kept in " + plan.file);
}

}  // namespace

std::string alarming(const std::string& text, const Style& style) { return colored(text, red, style); }

std::string warnings_text(const RunRecord& record, const Style& style) {
    std::string text;
    for (const std::string& warning : record.warnings)
        text += colored(fmt::format("{:<15}{}", "WARNING", warning), yellow, style) + '\n';
    return text;
}

std::string machine_text(const RunRecord& record) {
    return row("back end", with_reason(record.backend, record.backend_reason)) + row("ranks", ranks_line(record)) +
           row("devices", devices_line(record));
}

std::string header_text(const RunRecord& record, const Style& style) {
    const Config& c = record.config;
    std::string text = fmt::format("jacobi {} (git {})\n\n", record.version, record.git);
    text += row("problem", problem_line(record));
    text += machine_text(record);
    text += row("decomposition", decomposition_line(record));
    text += row("memory", bytes(static_cast<double>(record.bytes_per_rank)) + " a rank");
    const bool one_launch =
        c.comm.overlap || record.sync == "flag" || record.sync == "persistent";  // whose kernels overlap by themselves
    const std::string rung =
        with_reason(record.sync, record.sync_reason) + (record.boundary_apart ? ", overlap"
                                                        : one_launch          ? ", boundary and interior in one launch"
                                                                              : ", no overlap");
    text += row("rung", rung);
    if (record.temporal_depth > 1 || record.halo_depth > 1) {
        text += row("passes", fmt::format("{} {} ({}), {} halo layers{}{}", record.temporal_depth,
                                          record.temporal_depth == 1 ? "sweep" : "sweeps", record.depth_reason, record.halo_depth,
                                          record.pass_shape.empty() ? "" : "; ", record.pass_shape));
    }
    const std::string plan = plan_line(record);
    if (!plan.empty()) text += row("plan", plan);
    text += row("edges", transports_line(record));
    if (c.comm.ablate != Ablate::none) {
        text +=
            colored(fmt::format("{:<15}{}: the result means nothing, the times are for studies", "ABLATED", name(c.comm.ablate)),
                    yellow, style) +
            '\n';
    }
    return text + warnings_text(record, style);
}

std::string edges_text(const RunRecord& record, std::size_t limit) {
    if (record.edges.empty()) return {};
    if (record.edges.size() <= limit) {
        std::string text = fmt::format("{:>6}  {:<9}  {:>9}  {:<9}  {:>11}  {}\n", "rank", "direction", "neighbour", "transport",
                                       "bytes/sweep", "reason");
        for (const Edge& e : record.edges) {
            text += fmt::format("{:>6}  {:<9}  {:>9}  {:<9}  {:>11.0f}  {}\n", e.rank, name(e.direction), e.neighbour,
                                e.transport, record.bytes_per_sweep(e), e.reason);
        }
        return text;
    }
    std::map<std::pair<std::string, std::string>, RunRecord::Traffic> groups;
    for (const Edge& e : record.edges) {
        RunRecord::Traffic& group = groups[{e.transport, e.reason}];
        ++group.edges;
        group.bytes_per_sweep += record.bytes_per_sweep(e);
    }
    std::string text = fmt::format("{:>6}  {:<9}  {:>11}  {}\n", "edges", "transport", "bytes/sweep", "reason");
    for (const auto& [kind, group] : groups)
        text += fmt::format("{:>6}  {:<9}  {:>11.0f}  {}\n", group.edges, kind.first, group.bytes_per_sweep, kind.second);
    return text;
}

std::string dry_run_text(const RunRecord& record, const Style& style) {
    std::string needs;
    for (const MemoryNeed& need : record.memory) needs += row(needs.empty() ? "needed" : "", need.text());
    return header_text(record, style) + '\n' + (needs.empty() ? "" : needs + '\n') + edges_text(record) +
           "\nDry run: nothing was computed, no file was touched, no memory for fields was used.\n";
}

}  // namespace jacobi
