// Command line of jacobi.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "error.hpp"

namespace jacobi {

struct Options {
    std::string deck;                    ///< path; empty only with `list`
    std::vector<std::string> overrides;  ///< the --set options, "key.path=value", in order, unchecked (read_deck checks them)
    std::string restart;                 ///< checkpoint to continue from; empty: none
    std::string report;                  ///< JSON report instead of the deck's report.file; empty: as the deck says
    bool dry_run = false;
    bool list = false;
    bool quiet = false;
    bool no_color = false;
};

/// A command line that ends the program: help and version (success, for standard output) or a fault (usage, for standard error).
struct Ended {
    Exit status;
    std::string text;  ///< ends with a newline
};

/// Parses the command line; prints nothing. `version` is what --version shows.
std::variant<Options, Ended> parse_options(int argc, const char* const* argv, const std::string& version);

}  // namespace jacobi
