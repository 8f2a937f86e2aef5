// One configuration of a table: what the options ask of one run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config.hpp"

namespace jacobi::bench {

struct Case {
    Index3 cells{0, 0, 0};  ///< of a rank's block
    ProblemKind problem = ProblemKind::random;
    Precision precision = Precision::float64;
    std::optional<int> depth;  ///< sweeps a pass; none: auto
    std::string transport = "auto";
    std::string rung = "auto";
};

/// What all configurations share.
struct Common {
    std::array<int, 3> ranks{1, 1, 1};
    bool periodic = false;
    std::string backend = "auto";
    std::vector<std::string> overrides;  ///< keys of a deck, "key.path=value"
};

/// "512x512x512 random double, depth 4, flag over ipc": for messages.
std::string text(const Case& c);
std::string depth_text(const std::optional<int>& depth);
/// "512x512x512"
std::string size_text(const Index3& cells);

/// The configuration as jacobi would read it from a deck, with all checks. Throws Error (usage, collective) with their messages.
Config config_of(const Case& c, const Common& common);

/// The plainest way to run the same problem: one sweep a pass, a barrier after each, over whatever transport `auto` takes.
Case plainest(Case c);

}  // namespace jacobi::bench
