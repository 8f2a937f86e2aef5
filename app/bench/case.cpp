#include "case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deck_reader.hpp"
#include "error.hpp"
#include "machine.hpp"

namespace jacobi::bench {

std::string size_text(const Index3& cells) { return fmt::format("{}", fmt::join(cells, "x")); }

std::string depth_text(const std::optional<int>& depth) { return depth ? std::to_string(*depth) : "auto"; }

std::string text(const Case& c) {
    return fmt::format("{} {} {}, depth {}, {} over {}", size_text(c.cells), name(c.problem), name(c.precision),
                       depth_text(c.depth), c.rung, c.transport);
}

Config config_of(const Case& c, const Common& common) {
    Index3 cells{};
    bool overflow = false;
    for (int a = 0; a < 3; ++a) overflow |= __builtin_mul_overflow(c.cells[a], Index{common.ranks[a]}, &cells[a]);
    if (overflow) throw Error("--sizes: " + size_text(c.cells) + " cells a rank are too many", Exit::usage, true);
    const std::string deck = fmt::format(
        "grid: {{cells: [{}], periodic: [{}, {}, {}]}}\nproblem: {{kind: {}}}\n"
        "solver: {{iterations: 0, check_every: 0, precision: {}, temporal_depth: {}}}\n"
        "comm: {{ranks: [{}], transport: {}, sync: {}}}\ndevice: {{backend: {}, plan: measure}}\nverify: {{kind: none}}\n",
        fmt::join(cells, ", "), common.periodic, common.periodic, common.periodic, name(c.problem), name(c.precision),
        depth_text(c.depth), fmt::join(common.ranks, ", "), c.transport, c.rung, common.backend);
    DeckResult result = read_deck(deck, "bench", common.overrides, build_support());
    if (result.ok()) return result.config;
    std::vector<std::string> messages;
    for (const DeckError& e : result.errors)
        messages.push_back(e.where.starts_with("--set") ? e.where + ": " + e.message : e.message);
    throw Error(fmt::format("{}", fmt::join(messages, "\n")), Exit::usage, true);
}

Case plainest(Case c) {
    c.depth = 1;
    c.transport = "auto";
    c.rung = "barrier";
    return c;
}

}  // namespace jacobi::bench
