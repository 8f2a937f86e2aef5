#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "deck_checks.hpp"
#include "deck_text.hpp"

namespace jacobi::deck {
namespace {

void require(Checks& c, const std::string& path, const char* expected) {
    if (c.given(path) || !c.sound({path})) return;
    const auto section = c.reading.given.find(path.substr(0, path.find('.')));
    const bool in_deck = section != c.reading.given.end() && section->second.key.source == 0;
    c.fail_at(in_deck ? section->second.key : Place{}, path, fmt::format("missing; expected {}", expected));
}

void required(Checks& c) {
    require(c, "grid.cells", "[nx, ny, nz]");
    require(c, "solver.iterations", "an integer >= 0");
}

/// True when a depth was given and this build has it.
bool depth(Checks& c, const std::string& path, const std::optional<int>& value, int max) {
    if (!value || !c.sound({path})) return false;
    if (*value <= max) return true;
    c.fail(path,
           fmt::format("{} is not in this build; expected auto or {}", *value, max == 1 ? "1" : fmt::format("1 to {}", max)));
    return false;
}

void depths(Checks& c) {
    const bool temporal = depth(c, "solver.temporal_depth", c.config.solver.temporal_depth, c.support.max_temporal_depth);
    const bool halo = depth(c, "comm.halo_depth", c.config.comm.halo_depth, c.support.max_halo_depth);
    if (temporal && halo && *c.config.comm.halo_depth < *c.config.solver.temporal_depth) {
        c.fail("comm.halo_depth", fmt::format("expected at least {}, solver.temporal_depth, found {}",
                                              *c.config.solver.temporal_depth, *c.config.comm.halo_depth));
    }
}

void ranks(Checks& c) {
    if (!c.config.comm.ranks || !c.sound({"comm.ranks", "grid.cells"})) return;
    const auto& p = *c.config.comm.ranks;
    bool fits = true;
    for (int a = 0; a < 3; ++a) {
        if (p[a] <= c.config.problem.grid.cells[a]) continue;
        fits = false;
        c.fail(fmt::format("comm.ranks[{}]", a), fmt::format("expected at most {} ranks, one a cell of the {} axis, found {}",
                                                             c.config.problem.grid.cells[a], axis_names[a], p[a]));
    }
    int product = 0;
    if (fits && (__builtin_mul_overflow(p[0], p[1], &product) || __builtin_mul_overflow(product, p[2], &product))) {
        c.fail("comm.ranks", fmt::format("expected at most {} ranks in all, found {} x {} x {}", std::numeric_limits<int>::max(),
                                         p[0], p[1], p[2]));
    }
}

void offered(Checks& c, const std::string& path, const std::string& value, const std::vector<std::string>& offer) {
    if (value == "auto" || std::find(offer.begin(), offer.end(), value) != offer.end() || !c.sound({path})) return;
    std::vector<std::string> names{"auto"};
    names.insert(names.end(), offer.begin(), offer.end());
    c.fail(path, fmt::format("{} is not in this build; expected {}", value, enumerate(names, "or")));
}

void lacking(Checks& c, const std::string& path, const char* what, const char* expected) {
    if (c.sound({path})) c.fail(path, fmt::format("{} not in this build; expected {}", what, expected));
}

void build(Checks& c) {
    offered(c, "comm.transport", c.config.comm.transport, c.support.transports);
    offered(c, "comm.sync", c.config.comm.sync, c.support.rungs);
    offered(c, "device.backend", c.config.device.backend, c.support.backends);
    if (!c.support.ablation && c.config.comm.ablate != Ablate::none) lacking(c, "comm.ablate", "ablations are", "none");
    if (!c.support.virtual_nodes && c.config.comm.virtual_nodes > 1) lacking(c, "comm.virtual_nodes", "virtual nodes are", "1");
    if (!c.support.checkpoint && !c.config.checkpoint.file.empty()) lacking(c, "checkpoint.file", "checkpoints are", "none");
}

void needs(Checks& c, const std::string& file, const std::string& name, const std::string& path, bool set) {
    if (!set || !name.empty() || !c.sound({file, path})) return;
    c.fail_key(path, fmt::format("expected together with {}, found without", file));
}

/// Keys that say how to write a file that nobody asked for.
void files(Checks& c) {
    const Config::Output& output = c.config.output;
    needs(c, "output.file", output.file, "output.every", output.every > 0);
    needs(c, "output.file", output.file, "output.overwrite", !output.overwrite);
    needs(c, "output.file", output.file, "output.compression", output.compression > 0);
    needs(c, "checkpoint.file", c.config.checkpoint.file, "checkpoint.every", c.config.checkpoint.every > 0);
}

/// Two results in one file would destroy each other.
void distinct_files(Checks& c) {
    const std::pair<const char*, const std::string&> paths[] = {{"output.file", c.config.output.file},
                                                                {"checkpoint.file", c.config.checkpoint.file},
                                                                {"report.file", c.config.report.file},
                                                                {"report.csv", c.config.report.csv}};
    for (const auto& [path, file] : paths) {
        for (const auto& [earlier, earlier_file] : paths) {
            if (path == earlier) break;
            if (file.empty() || file != earlier_file || !c.sound({path})) continue;
            c.fail(path, fmt::format("expected a file of its own, found {}, which is {} too", shown(file), earlier));
        }
    }
}

}  // namespace

void check_run(Checks& c) {
    required(c);
    depths(c);
    ranks(c);
    build(c);
    files(c);
    distinct_files(c);
}

}  // namespace jacobi::deck
