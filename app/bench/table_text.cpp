#include "table_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jacobi::bench {
namespace {

constexpr const char* line = "{:<14} {:<9} {:<7} {:>5}  {:<10} {:<12} {:>8} {:>10} {:>10} {:>10} {:>7} {:>6} {:>7}  {}";

std::string microseconds(double us) { return fmt::format("{:.{}f}", us, us < 100 ? 2 : us < 10000 ? 1 : 0); }

std::string joined(const std::vector<std::string>& words) {
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, "+"));
}

/// "auto" and what it stands for.
std::string resolved(const std::string& asked, const std::string& found) { return asked == "auto" ? found + "*" : found; }

std::string stripped(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

}  // namespace

std::string table_header(const Table& table, const Style& style) {
    const RunRecord& m = table.machine;
    std::string text = fmt::format("bench {} (git {})\n\n", m.version, m.git) + machine_text(m) + warnings_text(m, style);
    text += fmt::format("{:<15}{} x {} x {} ranks, axes {}periodic\n", "decomposition", table.common.ranks[0],
                        table.common.ranks[1], table.common.ranks[2], table.common.periodic ? "" : "not ");
    if (m.ranks == 1)
        text +=
            fmt::format("{:<15}its own neighbour only: no transports to choose from, no staged messages to compare with\n", "");
    text += fmt::format("{:<15}{} of {:g} s each; the median, the shortest and the longest\n\n", "repeats", table.repeats,
                        table.seconds);
    return text + stripped(fmt::format(fmt::runtime(line), "cells a rank", "problem", "type", "depth", "rung", "transport",
                                       "GLUP/s", "us/sweep", "min", "max", "x pass", "B/cell", "x mpi", "bits"));
}

std::string row_text(const Row& row, Table& table, const Style& style) {
    const Case& c = row.asked;
    if (!row.measured()) {
        return stripped(fmt::format(fmt::runtime(line), size_text(c.cells), name(c.problem), name(c.precision),
                                    depth_text(c.depth), c.rung, c.transport, "refused", "", "", "", "", "", "",
                                    fmt::format("[{}]", table.note(row.refusal))));
    }
    const RunRecord& r = row.record;
    const std::string bits = row.wrong.empty() ? "ok" : alarming(fmt::format("WRONG [{}]", table.note(row.wrong)), style);
    const std::string depth = std::to_string(r.temporal_depth);
    return stripped(fmt::format(
        fmt::runtime(line), size_text(c.cells), name(c.problem), name(c.precision), c.depth ? depth : resolved("auto", depth),
        resolved(c.rung, r.sync), joined(r.transports()), fmt::format("{:.4g}", r.glups()), microseconds(row.us.median),
        microseconds(row.us.min), microseconds(row.us.max), r.copy_gbs > 0 ? fmt::format("{:.3f}", r.share()) : "-",
        fmt::format("{:.4g}", row.bytes_a_sweep()), row.over_staged ? fmt::format("{:.2f}", *row.over_staged) : "-", bits));
}

std::string table_notes(const Table& table) {
    std::string text = "\n";
    for (std::size_t i = 0; i < table.notes.size(); ++i) text += fmt::format("[{}] {}\n", i + 1, table.notes[i]);
    return text;
}

std::string table_footer(const Table& table, const Style& style) {
    std::string text = table_notes(table);
    std::size_t measured = 0, wrong = 0;
    bool chosen = false;
    for (const Row& row : table.rows) {
        measured += row.measured() ? 1 : 0;
        wrong += row.wrong.empty() ? 0 : 1;
        chosen |= row.measured() && (!row.asked.depth || row.asked.rung == "auto");
    }
    if (chosen) text += "*   chosen by jacobi (auto)\n";
    if (!table.notes.empty() || chosen) text += '\n';
    if (wrong > 0)
        return text +
               alarming(
                   fmt::format("Digests: {} of {} configurations computed other bits than the plainest one", wrong, measured),
                   style) +
               '\n';
    if (measured == 0) return text + "Digests: nothing was measured\n";
    return text +
           fmt::format("Digests: all {} configurations computed the same bits as one sweep a pass behind a barrier\n", measured);
}

}  // namespace jacobi::bench
