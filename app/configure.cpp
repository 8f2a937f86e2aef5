#include "configure.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "collectives.hpp"
#include "deck_reader.hpp"
#include "edges.hpp"
#include "host/isa.hpp"
#include "machine.hpp"
#include "output_checks.hpp"
#include "verify.hpp"

namespace jacobi {

namespace {

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// Rank 0 reads the file, all ranks read the deck: the same bytes give every rank the same configuration, or none and rank 0
/// prints all its errors.
std::optional<Config> read_config(const Options& options) {
    const int rank = world_rank();
    std::string text, problem;
    if (rank == 0) text = load_text(options.deck, problem).value_or("");
    problem = broadcast(problem);
    if (!problem.empty()) throw Error(problem, Exit::usage, true);
    DeckResult deck = read_deck(broadcast(text), options.deck, options.overrides, build_support());
    if (!deck.ok()) {
        for (const DeckError& e : deck.errors) {
            if (rank == 0) fmt::print(stderr, "{}: {}\n", e.where, e.message);
        }
        return std::nullopt;
    }
    if (!options.restart.empty()) throw Error("--restart: this build has no checkpoints", Exit::usage, true);
    if (!options.report.empty()) deck.config.report.file = options.report;
    return deck.config;
}

}  // namespace

void require_isa() {
    for (const std::string& fault : gather_texts(MPI_COMM_WORLD, host::isa_fault())) {
        if (!fault.empty()) throw Error(fault, Exit::usage, true);
    }
}

std::optional<Config> configure(const Options& options) {
    require_isa();
    std::optional<Config> config = read_config(options);
    if (config) require_verifiable(*config);
    return config;
}

std::string require_outputs(const Config& config, const Options& options) {
    const bool root = world_rank() == 0;
    const auto check = [&](bool room) {
        return root ? check_outputs(config, options.deck, options.report.empty() ? "report.file" : "--report", room)
                    : std::string();
    };
    const std::string fault = broadcast(check(!options.dry_run));
    if (!fault.empty()) throw Error(fault, Exit::usage, true);
    return options.dry_run ? check(true) : "";
}

}  // namespace jacobi
