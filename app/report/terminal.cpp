#include "terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace jacobi {
namespace {

constexpr const char* yellow = "\033[33m";
constexpr const char* red = "\033[31m";

std::string colored(const std::string& text, const char* color, const Style& style) {
    return style.color ? color + text + "\033[0m" : text;
}

std::string row(const char* label, const std::string& text) { return fmt::format("{:<15}{}\n", label, text); }

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

std::string time_row(const std::string& label, double seconds, const std::string& share = "") {
    return fmt::format("{:<15}{:>10.3f} s{}\n", label, seconds, share);
}

/// Sections that overlap, or that different ranks are slowest in, may add up to more than the whole.
std::string phase_table(const RunRecord& record) {
    std::string text = time_row("set-up", record.setup_s) + time_row("sweeps", record.solve_s);
    for (const auto& [phase, seconds] : record.phases) {
        text +=
            time_row("  " + phase, seconds, record.solve_s > 0 ? fmt::format("{:>8.1f} %", 100 * seconds / record.solve_s) : "");
    }
    text += time_row("checks", record.check_s);
    if (record.verify_s > 0) text += time_row("verification", record.verify_s);
    return text;
}

std::string converged_line(const RunRecord& record, const Style& style) {
    if (record.diverged) return colored(fmt::format("diverged by sweep {}", record.iterations), red, style);
    if (record.config.solver.tolerance <= 0) return {};
    return fmt::format("{}, tolerance {}", record.converged ? "yes" : "no", record.config.solver.tolerance);
}

/// A rank that maps no other's memory measures its own, which is no peer's.
const char* peers_label(const PeerRates& p) { return p.memory == "self" ? "own memory" : "peer memory"; }

/// "ipc: copy 378 GB/s; stores on x, y, z faces 61.2, 340, 350 GB/s; a flag in 0.91 us". Blocks of a few cells are not copied.
std::string peers_line(const PeerRates& p) {
    std::string text = p.memory == "self" ? "" : p.memory + ": ";
    if (p.copy_gbs > 0) text += fmt::format("copy {:.3g} GB/s; ", p.copy_gbs);
    text += fmt::format("stores on x, y, z faces {:.3g}, {:.3g}, {:.3g} GB/s; ", p.store_gbs[0], p.store_gbs[1], p.store_gbs[2]);
    return text +
           (p.reason.empty() ? fmt::format("a flag in {:.{}f} us", p.flag_us, p.flag_us < 10 ? 2 : 0) : "no flags: " + p.reason);
}

std::string details_text(const RunRecord& record, const Style& style) {
    std::string text = '\n' + phase_table(record) + '\n';
    text += row("rate", fmt::format("{:.3f} GLUP/s, {:.1f} us a sweep", record.glups(), record.us_per_iteration()));
    if (record.copy_gbs > 0) {
        text += row("bound", fmt::format("{:.3f} GLUP/s in one pass at the copy bandwidth of {:.1f} GB/s; reached {:.1f} %",
                                         record.one_pass_glups(), record.copy_gbs, 100 * record.share()));
    }
    if (!record.peers.memory.empty()) text += row(peers_label(record.peers), peers_line(record.peers));
    if (!record.checks.empty()) {
        const Check& first = record.checks.front();
        const Check& last = record.checks.back();
        std::string residual =
            fmt::format("max {:.6e}, L2 {:.6e} after {} sweeps", last.residual_max, last.residual_l2, last.iteration);
        if (last.iteration != first.iteration)
            residual += fmt::format(" (max {:.6e} after {})", first.residual_max, first.iteration);
        text += row("residual", residual);
    }
    const std::string converged = converged_line(record, style);
    if (!converged.empty()) text += row("converged", converged);
    return text;
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
    std::string rung =
        with_reason(record.sync, record.sync_reason) + (!c.comm.overlap         ? ", no overlap"
                                                        : record.boundary_apart ? ", overlap"
                                                                                : ", boundary and interior in one launch");
    text += row("rung", rung);
    if (record.temporal_depth > 1 || record.halo_depth > 1) {
        text += row("passes", fmt::format("{} {} ({}), {} halo layers{}{}", record.temporal_depth,
                                          record.temporal_depth == 1 ? "sweep" : "sweeps", record.depth_reason, record.halo_depth,
                                          record.pass_shape.empty() ? "" : "; ", record.pass_shape));
    }
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
    return header_text(record, style) + '\n' + edges_text(record) + "\nDry run: nothing was computed, no file was touched.\n";
}

std::string result_text(const RunRecord& record, bool quiet, const Style& style) {
    const Verification& v = record.verification;
    std::string verification = fmt::format("Verification: {} ({})", v.word(), v.text);
    // PASS stays without colour codes, so that the line is the same for every reader.
    if (v.outcome() == Verification::Verdict::fail) verification = colored(verification, red, style);
    return (quiet ? "" : details_text(record, style)) + row("digest", fmt::format("{:016x}", record.digest)) +
           (quiet ? "" : "\n") + fmt::format("Figure of Merit (FOM): {:.3f} MLUP/s\n", record.glups() * 1e3) + verification +
           '\n';
}

std::string closing_text(const RunRecord& record) {
    std::string text = "\n";
    if (record.output_s > 0) text += time_row("output", record.output_s);
    text += time_row("total", record.total_s);
    if (!record.files.empty()) text += row("files", fmt::format("{}", fmt::join(record.files, ", ")));
    return text;
}

}  // namespace jacobi
