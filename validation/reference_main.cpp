// reference DECK [-o FILE]: the independent serial solver as a program. Same decks, same stopping rule and same file format as
// jacobi, so that `compare` can tell whether a run is right in every bit. Needs no mpirun.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>

#include "deck_reader.hpp"
#include "error.hpp"
#include "output_path.hpp"
#include "reference.hpp"
#include "snapshot.hpp"
#include "version.hpp"

namespace {

using namespace jacobi;

/// Decks are read as jacobi reads them; what only says how a run is done (comm, device) is accepted, and has no effect here.
Support everything() {
    Support support;
    support.backends = {"host", "cuda"};
    support.transports = {"ipc", "shm", "mpi", "nccl"};
    support.rungs = {"barrier", "event", "stream", "flag", "persistent"};
    support.max_halo_depth = support.max_temporal_depth = 1000;
    support.checkpoint = support.ablation = support.virtual_nodes = true;
    return support;
}

Config read_config(const std::string& path, const std::vector<std::string>& overrides) {
    std::string fault;
    const auto text = load_text(path, fault);
    if (!text) throw Error(fault, Exit::usage);
    const DeckResult deck = read_deck(*text, path, overrides, everything());
    for (const auto& error : deck.errors) fault += fmt::format("{}{}: {}", fault.empty() ? "" : "\n", error.where, error.message);
    if (!deck.ok()) throw Error(fault, Exit::usage);
    return deck.config;
}

/// Sweeps until the deck says stop: at a check where the residual is small enough, or after the last iteration.
/// Returns the residual of the field that stands at the end.
template <class T>
double solve(Reference<T>& solver, const Config::Solver& rule, bool& converged) {
    double first = 0, last = 0;
    bool checked = false;
    const auto check = [&] {
        const auto residual = solver.residual();
        last = residual.max;
        if (!checked) first = last;
        checked = true;
        fmt::print("sweep {:8d}  residual max {:.6e}  l2 {:.6e}\n", solver.iteration(), residual.max, residual.l2);
        if (!std::isfinite(last)) throw Error(fmt::format("diverged by sweep {}: the residual is {}", solver.iteration(), last));
        converged = rule.tolerance > 0 && last <= rule.tolerance * first;
        return converged;
    };

    // A tolerance is relative to the first residual, so that is taken even where no check may stop the sweeps.
    if ((rule.check_every > 0 || rule.tolerance > 0) && check() && rule.check_every > 0) return last;
    while (solver.iteration() < rule.iterations) {
        Index stop = rule.iterations;
        if (rule.check_every > 0) stop = std::min(stop, (solver.iteration() / rule.check_every + 1) * rule.check_every);
        solver.advance(stop - solver.iteration());
        if ((rule.check_every > 0 || stop == rule.iterations) && check()) return last;
    }
    if (!checked) check();
    return last;
}

template <class T>
Exit solve_and_write(const Config& config, const std::string& output) {
    Reference<T> solver(config.problem);
    bool converged = false;
    const double residual = solve(solver, config.solver, converged);
    const std::uint64_t digest = solver.digest();
    if (config.solver.tolerance > 0) {
        fmt::print("{} after {} iterations\n", converged ? "converged" : "tolerance not reached", solver.iteration());
    }
    fmt::print("iterations {}\ndigest {:016x}\n", solver.iteration(), digest);

    if (!output.empty()) {
        SnapshotInfo info;
        info.grid = config.problem.grid;
        info.precision = config.solver.precision;
        info.iteration = solver.iteration();
        info.residual_max = residual;
        info.digest = digest;
        info.deck = to_yaml(config);
        info.version = version;
        info.git = git_describe;
        info.transports = "none";
        const Index plane = info.grid.cells[0] * info.grid.cells[1];
        const auto read = [&](Index z0, Index z1, void* destination) {
            std::memcpy(destination, solver.values().data() + z0 * plane,
                        static_cast<std::size_t>((z1 - z0) * plane) * sizeof(T));
        };
        write_snapshot(MPI_COMM_NULL, output, info, {{0, 0, 0}, info.grid.cells}, config.output.compression, read);
        fmt::print("wrote {}\n", output);
    }
    return config.solver.tolerance > 0 && !converged ? Exit::tolerance : Exit::success;
}

Exit run_deck(const std::string& deck, const std::vector<std::string>& overrides, const std::string& output) {
    const Config config = read_config(deck, overrides);
    if (!output.empty()) {
        std::error_code none;
        if (std::filesystem::equivalent(output, deck, none))
            throw Error(fmt::format("-o: {} is the deck too; give it a file of its own", output), Exit::usage);
        const auto bytes = snapshot_bytes(config.problem.grid, config.solver.precision);
        const std::string fault = check_output_path(output, config.output.overwrite, bytes);
        if (!fault.empty()) throw Error(fault, Exit::usage);
    }
    return config.solver.precision == Precision::float64 ? solve_and_write<double>(config, output)
                                                         : solve_and_write<float>(config, output);
}

Exit run(int argc, const char* const* argv) {
    CLI::App app("Solves a deck with the independent serial reference solver.", "reference");
    app.footer("Exit status: 0 done, 1 run-time failure, 2 bad deck, option or file, 4 tolerance set and not reached.");
    std::string deck, output;
    std::vector<std::string> overrides;
    app.add_option("DECK", deck, "the problem, a YAML file")->required()->type_name("");
    app.add_option("-o", output, "snapshot to write (the deck's output.file is jacobi's)")->type_name("FILE");
    app.add_option("--set", overrides, "set a key of the deck, over the file's value; repeatable")
        ->type_name("key.path=value")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? Exit::success : Exit::usage;
    }
    return run_deck(deck, overrides, output);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return static_cast<int>(run(argc, argv));
    } catch (const Error& error) {
        std::fprintf(stderr, "reference: %s\n", error.what());
        return static_cast<int>(error.exit());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "reference: not enough memory for the whole grid in one process\n");
        return static_cast<int>(Exit::failure);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "reference: %s\n", error.what());
        return static_cast<int>(Exit::failure);
    }
}
