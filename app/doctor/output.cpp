#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "advice_parts.hpp"
#include "json.hpp"
#include "version.hpp"

namespace jacobi::doctor {
namespace {

std::string row(const char* label, const std::string& text) { return fmt::format("{:<9}{}\n", label, text); }

/// Words in lines of at most 110 characters behind an indent, the first line's indent being there already.
std::string wrapped(const std::string& text, std::size_t indent) {
    constexpr std::size_t width = 110;
    std::istringstream words(text);
    std::string result;
    std::size_t column = indent;
    for (std::string word; words >> word;) {
        if (column > indent && column + 1 + word.size() > width) {
            result += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
    }
    return result + '\n';
}

/// The number in "pid:[4026531836]".
std::string number_of(const std::string& name) {
    const auto open = name.find('[');
    return open == std::string::npos ? "-" : name.substr(open + 1, name.find(']') - open - 1);
}

std::string remarks(const RankFacts& r) {
    std::string text;
    const auto add = [&](const std::string& remark) { text += (text.empty() ? "" : ", ") + remark; };
    if (!r.lost.empty()) add(fmt::format("LOST in \"{}\"", r.lost));
    if (!r.state.empty()) add(r.state);
    if (const DeviceFacts* d = driven(r)) {
        if (d->mig) add("MIG");
        if (d->mps) add("MPS");
        if (d->compute_mode != "default") add(d->compute_mode);
        if (r.sharers > 1) add(fmt::format("shared by {} ranks", r.sharers));
    }
    if (!r.container.empty()) add(fmt::format("container ({})", r.container));
    if (r.wsl) add("WSL");
    return text;
}

std::string system_table(const Examination& e) {
    const char* const layout = "{:>4}  {:>4}  {:<16}  {:>5}  {:>4}  {:>19}  {:>13}  {:>13}  {}\n";
    std::string text = fmt::format(fmt::runtime(layout), "rank", "node", "host", "cores", "NUMA", "shared memory free",
                                   "PID namespace", "IPC namespace", "remarks");
    const auto known = [](int n) { return n >= 0 ? std::to_string(n) : std::string("-"); };
    for (const RankFacts& r : e.ranks) {
        const std::string free = r.shm_folder.empty() ? "-" : fmt::format("{:.0f} of {:.0f} MiB", r.shm_free_mib, r.shm_mib);
        text += fmt::format(fmt::runtime(layout), r.rank, known(r.node), r.host, r.cores, known(r.numa), free,
                            number_of(r.pid_namespace), number_of(r.ipc_namespace), remarks(r));
    }
    return text;
}

std::string device_table(const Examination& e) {
    const auto live = live_ranks(e);
    if (std::all_of(live.begin(), live.end(), [](const RankFacts* r) { return driven(*r) == nullptr; })) return {};
    std::string text = fmt::format("\n{:>4}  {:<24}  {:<40}  {:<12}  {:>4}  {:>3}  {:>8}  {}\n", "rank", "device", "UUID", "PCI",
                                   "NUMA", "cc", "memory", "CUDA_VISIBLE_DEVICES");
    for (const RankFacts* r : live) {
        const DeviceFacts* d = driven(*r);
        if (d == nullptr) {
            text += fmt::format("{:>4}  none: {}\n", r->rank, r->no_device);
            continue;
        }
        text += fmt::format("{:>4}  {:<24}  {:<40}  {:<12}  {:>4}  {:>3}  {:>8}  {}\n", r->rank, d->name, d->uuid, d->pci,
                            d->numa >= 0 ? std::to_string(d->numa) : "-", d->compute_capability,
                            fmt::format("{:.1f} GiB", d->memory_gib), r->visible);
    }
    return text;
}

using Cell = std::function<std::string(const PairResult&)>;

std::string figure(const Outcome& outcome, double value) {
    if (outcome.failed()) return "FAIL";
    return outcome.ok() ? fmt::format("{:.{}f}", value, value < 10 ? 2 : 1) : "-";
}

std::string matrix(const Examination& e, const std::vector<int>& ranks, const char* transport, const char* title,
                   const Cell& cell) {
    std::string text = fmt::format("{}\n{:>8}", title, "");
    for (const int to : ranks) text += fmt::format("{:>8}", to);
    text += '\n';
    for (const int from : ranks) {
        text += fmt::format("{:>8}", from);
        for (const int to : ranks) {
            const auto found = std::find_if(e.pairs.begin(), e.pairs.end(), [&](const PairResult& p) {
                return p.transport == transport && p.from == from && p.to == to;
            });
            text += fmt::format("{:>8}", found != e.pairs.end() ? cell(*found) : "-");
        }
        text += '\n';
    }
    return text;
}

std::string matrices(const Examination& e) {
    constexpr std::size_t widest = 16;
    const bool ipc = std::any_of(e.pairs.begin(), e.pairs.end(), [](const PairResult& p) { return p.transport == "ipc"; });
    const char* const transport = ipc ? "ipc" : "shm";
    std::string text;
    for (int node = 0; node < node_count(e); ++node) {
        std::vector<int> ranks;
        for (const RankFacts& r : e.ranks) {
            if (r.node == node) ranks.push_back(r.rank);
        }
        const auto here = [&](const PairResult& p) { return e.ranks[p.from].node == node; };
        if (std::none_of(e.pairs.begin(), e.pairs.end(), here)) continue;
        text += fmt::format("\nnode {}: pairs through {}, row: the rank that writes, column: the rank whose memory it is\n", node,
                            ipc ? "CUDA IPC" : "shared windows");
        if (ranks.size() > widest) {
            text += fmt::format("{} ranks: too wide for a terminal, see --json\n", ranks.size());
            continue;
        }
        text += matrix(e, ranks, transport, ipc ? "kernel stores, GB/s" : "stores, GB/s",
                       [](const PairResult& p) { return p.memory.failed() ? "FAIL" : figure(p.data, p.store_gbs); });
        text += matrix(e, ranks, transport, "copies, GB/s",
                       [](const PairResult& p) { return p.memory.failed() ? "FAIL" : figure(p.data, p.copy_gbs); });
        text += matrix(e, ranks, transport, "flag one way, us", [](const PairResult& p) { return figure(p.flags, p.flag_us); });
    }
    return text;
}

std::string colored(const std::string& word, Severity severity, bool color) {
    if (!color) return word;
    return (severity == Severity::fail ? "\033[31m" : severity == Severity::note ? "\033[33m" : "\033[32m") + word + "\033[0m";
}

std::string findings_text(const std::vector<Finding>& findings, bool color) {
    constexpr std::size_t indent = 16;
    std::string text;
    for (const Finding& f : findings) {
        text += colored(fmt::format("{:<6}", name(f.severity)), f.severity, color) + "  " + wrapped(f.subject + ": " + f.what, 8);
        if (!f.means.empty()) text += "        means:  " + wrapped(f.means, indent);
        if (!f.change.empty()) text += "        change: " + wrapped(f.change, indent);
    }
    return text;
}

std::string verdict_text(const Examination& e, const std::vector<Finding>& findings) {
    const auto given_up =
        std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::fail; });
    if (given_up > 0)
        return fmt::format("Verdict: FAIL ({} finding{} above: `auto` would have to give something up)\n", given_up,
                           given_up == 1 ? "" : "s");
    return fmt::format("Verdict: OK (`auto` runs at full function on the {} back end)\n", on_gpus(e) ? "CUDA" : "host");
}

}  // namespace

std::string report_text(const Examination& e, const std::vector<Finding>& findings, bool color) {
    std::string text = fmt::format("jacobi doctor {} (git {})\n\n", version, git_describe);
    text += row("MPI", fmt::format("{} (MPI {}), thread level {}, GPU-aware: {}", e.mpi.library, e.mpi.standard,
                                   e.mpi.thread_level, e.mpi.gpu_aware));
    if (!e.ranks.empty()) {
        const RankFacts& r = e.ranks[0];
        text +=
            row("CUDA", r.cuda_built ? fmt::format("driver {}, runtime {}", r.cuda_driver, r.cuda_runtime) : "not in this build");
    }
    text += '\n' + system_table(e) + device_table(e) + matrices(e) + '\n';
    return text + findings_text(findings, color) + '\n' + verdict_text(e, findings);
}

std::string report_json(const Examination& e, const std::vector<Finding>& findings) {
    nlohmann::ordered_json document = {{"schema", schema},
                                       {"version", version},
                                       {"git", git_describe},
                                       {"date", now_utc()},
                                       {"full_function", full_function(findings)},
                                       {"findings", nlohmann::json(findings)}};
    const nlohmann::json found = e;
    for (const auto& [key, value] : found.items()) document[key] = value;
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace jacobi::doctor
