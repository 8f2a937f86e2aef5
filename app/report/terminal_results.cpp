// What came out of a run, as people read it after its last sweep.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "terminal_parts.hpp"

namespace jacobi {
namespace {

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
