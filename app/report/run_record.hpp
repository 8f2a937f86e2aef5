// What a run did, in one plain struct: the terminal table and the JSON report are two views of it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config.hpp"
#include "edges.hpp"
#include "memory/memory_need.hpp"
#include "peer_rates.hpp"
#include "plans.hpp"
#include "verdict.hpp"

namespace jacobi {

/// One residual check.
struct Check {
    Index iteration = 0;
    double residual_max = 0;
    double residual_l2 = 0;
};

struct Verification {
    using Verdict = jacobi::Verdict;
    std::string kind = "none";  ///< "exact", "reference", "none"
    Verdict verdict = Verdict::skipped;
    double error = 0;
    std::string text;  ///< what stands in the parentheses of the Verification line

    /// The verdict that users see and the exit status follows: an error that is not a number never counts as verified.
    Verdict outcome() const { return verdict == Verdict::pass && !std::isfinite(error) ? Verdict::fail : verdict; }
    /// "PASS", "FAIL" or "SKIPPED".
    const char* word() const { return std::array{"PASS", "FAIL", "SKIPPED"}[static_cast<std::size_t>(outcome())]; }
};

/// One rank's place.
struct RankPlace {
    std::string host;
    int node = 0;
    std::string device;  ///< as people know it: "NVIDIA H200", "AVX-512, 1 thread"
    std::string uuid;    ///< empty on the host
    std::string pci;
    int sharers = 1;  ///< ranks on the same device
    Box block;
};

struct RunRecord {
    Config config;
    std::string version, git;
    std::string mpi_library;   ///< first line of MPI_Get_library_version
    int mpi_thread_level = 0;  ///< granted by MPI_Init_thread
    int ranks = 1, nodes = 1;
    std::array<int, 3> decomposition{1, 1, 1};
    std::string backend;  ///< "host" or "cuda"
    std::string backend_reason;
    bool boundary_apart = true;  ///< passes launch the cells next to neighbours apart from the others
    std::string sync, sync_reason;
    int temporal_depth = 1, halo_depth = 1;
    std::string depth_reason;  ///< why this temporal depth
    std::string pass_shape;    ///< how rank 0's passes walk its block
    PlanOrigin plan;           ///< where that came from; the seconds of the slowest rank
    /// Ranks by PlanOrigin::source.
    std::map<std::string, std::size_t> plan_sources;
    std::vector<RankPlace> places;       ///< by rank
    bool multi_process_service = false;  ///< ranks that share a GPU do so under MPS
    std::vector<Edge> edges;             ///< of all ranks
    std::uint64_t bytes_per_rank = 0;    ///< largest rank's fields and right-hand side
    std::vector<MemoryNeed> memory;      ///< that a dry run found to be needed, and free
    std::vector<std::string> warnings;

    // Set after the run.
    Index iterations = 0;  ///< sweeps done
    bool converged = false;
    bool diverged = false;
    std::vector<Check> checks;
    std::uint64_t digest = 0;
    double setup_s = 0, solve_s = 0, check_s = 0, output_s = 0, verify_s = 0, total_s = 0;  ///< slowest rank
    std::map<std::string, double> phases;  ///< seconds inside solve_s: "boundary", "interior", "wait"; slowest rank each
    double copy_gbs = 0;                   ///< sum over ranks of the copy bandwidth, 1e9 bytes read plus written a second
    PeerRates peers;                       ///< bounds of the halo exchange
    double bytes_per_point = 16;           ///< moved by one pass
    Verification verification;
    std::vector<std::string> files;  ///< written

    double glups() const {
        return solve_s > 0
                   ? static_cast<double>(volume(config.problem.grid.cells)) * static_cast<double>(iterations) / solve_s * 1e-9
                   : 0;
    }
    /// What an edge sends in the mean of the sweeps of a pass.
    double bytes_per_sweep(const Edge& e) const { return static_cast<double>(e.bytes) / temporal_depth; }
    struct Traffic {
        std::size_t edges = 0;
        double bytes_per_sweep = 0;
    };
    /// All edges by transport.
    std::map<std::string, Traffic> traffic() const {
        std::map<std::string, Traffic> by_transport;
        for (const Edge& e : edges) {
            Traffic& t = by_transport[e.transport];
            ++t.edges;
            t.bytes_per_sweep += bytes_per_sweep(e);
        }
        return by_transport;
    }
    /// Those in use, each once, in order of name.
    std::vector<std::string> transports() const {
        std::set<std::string> names;
        for (const Edge& e : edges) names.insert(e.transport);
        return {names.begin(), names.end()};
    }
    double us_per_iteration() const { return iterations > 0 ? solve_s / static_cast<double>(iterations) * 1e6 : 0; }
    double one_pass_glups() const { return copy_gbs / bytes_per_point; }
    double share() const { return one_pass_glups() > 0 ? glups() / one_pass_glups() : 0; }
};

}  // namespace jacobi
