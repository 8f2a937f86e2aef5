// Command line of bench.
#pragma once

#include <variant>

#include "case.hpp"
#include "options.hpp"

namespace jacobi::bench {

/// Lists are empty where the user gave none: what is taken then depends on the back end (plan.hpp).
struct BenchOptions {
    std::vector<Index3> sizes;
    std::vector<std::optional<int>> depths;
    std::vector<std::string> rungs;
    std::vector<std::string> transports;
    std::vector<Precision> precisions;
    std::vector<ProblemKind> problems;
    bool periodic = false;
    std::string backend = "auto";
    int repeats = 3;
    double seconds = 0;  ///< of a repeat; 0: as `quick` says
    bool quick = false;
    std::vector<std::string> overrides;
    std::string json;  ///< empty: none
    bool no_color = false;

    double repeat_seconds() const { return seconds > 0 ? seconds : quick ? 0.05 : 0.3; }
    double copy_seconds() const { return quick ? 0.05 : 0.2; }
};

/// Parses the command line; prints nothing. `version` is what --version shows.
std::variant<BenchOptions, Ended> parse_bench_options(int argc, const char* const* argv, const std::string& version);

}  // namespace jacobi::bench
