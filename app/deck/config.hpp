// A deck after reading: every key of the deck with its value or default (inputs/README.md lists them).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"

namespace jacobi {

enum class Ablate { none, no_comm, no_compute, no_sync };
enum class Verify { automatic, none, exact, reference };

// Names in decks and reports, in the order of the enumerators.
inline constexpr std::array problem_names{"laplace", "poisson", "eigenmode", "random"};
inline constexpr std::array precision_names{"double", "float"};
inline constexpr std::array ablate_names{"none", "no_comm", "no_compute", "no_sync"};
inline constexpr std::array verify_names{"auto", "none", "exact", "reference"};

constexpr const char* name(ProblemKind kind) { return problem_names[static_cast<std::size_t>(kind)]; }
constexpr const char* name(Precision precision) { return precision_names[static_cast<std::size_t>(precision)]; }
constexpr const char* name(Ablate ablate) { return ablate_names[static_cast<std::size_t>(ablate)]; }
constexpr const char* name(Verify verify) { return verify_names[static_cast<std::size_t>(verify)]; }

struct Config {
    Problem problem;  ///< grid and problem sections; faces filled in with their defaults

    struct Solver {
        Index iterations = 0;  ///< total since the initial field
        double tolerance = 0;  ///< 0: run all iterations
        Index check_every = 50;
        Precision precision = Precision::float64;
        std::optional<int> temporal_depth;  ///< none: auto
    } solver;

    struct Comm {
        std::optional<std::array<int, 3>> ranks;  ///< none: auto
        std::string transport = "auto";
        std::optional<int> halo_depth;  ///< none: auto
        Ablate ablate = Ablate::none;
        std::string sync = "auto";
        bool overlap = true;
        bool force = false;
        double timeout_s = 60;
        int virtual_nodes = 1;
    } comm;

    struct Device {
        std::string backend = "auto";
        std::optional<int> threads;  ///< none: auto
        std::string plan = "auto";   ///< "auto", "measure" or a file
    } device;

    struct Output {
        std::string file;  ///< empty: none
        Index every = 0;   ///< 0: at the end
        bool overwrite = true;
        int compression = 0;
    } output;

    struct Checkpoint {
        std::string file;  ///< empty: none
        Index every = 0;   ///< 0: only on a signal
    } checkpoint;

    Verify verify = Verify::automatic;

    struct Report {
        std::string file;  ///< JSON; empty: none
        std::string csv;   ///< appended to; empty: none
    } report;

    std::string deck_text;               ///< the deck as it was read, for snapshots
    std::vector<std::string> overrides;  ///< the --set options, in order
};

/// What this build can do; the deck reader turns a request for anything else into an error with its place.
struct Support {
    std::vector<std::string> backends;    ///< without "auto": "host", perhaps "cuda"
    std::vector<std::string> transports;  ///< without "auto"
    std::vector<std::string> rungs;       ///< without "auto"
    int max_halo_depth = 1;
    int max_temporal_depth = 1;
    bool checkpoint = false;
    bool ablation = false;
    bool virtual_nodes = false;
};

}  // namespace jacobi
