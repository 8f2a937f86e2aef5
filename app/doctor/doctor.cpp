// What this node can do for jacobi: mpirun -np 2 ./doctor
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "ancestry.hpp"
#include "examine.hpp"
#include "option_range.hpp"
#include "version.hpp"
#include "watchdog.hpp"

namespace {

constexpr const char* description =
    "doctor: what a node can do for jacobi, found out by trying. Start it as jacobi will be started.\n"
    "  mpirun -np 2 ./doctor --json node.json\n"
    "Exit status: 0 when `auto` would run at full function, 1 when something has to be given up, 2 for a bad option or file.";

/// The exit status, when the command line ends the program.
std::optional<int> parse(int argc, char** argv, jacobi::doctor::DoctorOptions& options) {
    CLI::App app(description, "doctor");
    app.set_version_flag("--version", std::string("doctor ") + jacobi::version + " (" + jacobi::git_describe + ")",
                         "print the version and end");
    app.add_option("--json", options.json, "write everything that was found to this file, too")->type_name("FILE");
    app.add_option("--timeout", options.limit_s,
                   "limit of a step, in seconds (the first one, in which CUDA starts, has three times as much)")
        ->type_name("SECONDS")
        ->check(jacobi::number_within(0.1, 86400))
        ->capture_default_str();
    app.add_flag("--no-color", options.no_color, "no colours on a terminal");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
        const bool prints = rank == nullptr || std::string(rank) == "0";
        if (error.get_exit_code() == 0) {
            if (prints) app.exit(error, std::cout, std::cerr);
            return 0;
        }
        if (prints) std::cerr << "doctor: " << error.what() << " (doctor --help lists the options)\n";
        return 2;
    }
    return std::nullopt;
}

/// Lets Open MPI's messages survive what this program is there to find. A launcher out of sight has started this rank in another
/// PID namespace, and maybe each rank in one of its own: those of equal process ids crash in shared-memory messages, and single
/// copies read from whatever process has the other's id. The user's own settings stay.
void settle_messages() {
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return;
    if (jacobi::find_ancestor({"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted"}) == 0)
        setenv("OMPI_MCA_btl", "tcp,self", 0);
}

int run(int argc, char** argv) {
    jacobi::doctor::DoctorOptions options;
    if (const auto status = parse(argc, argv, options)) {
        MPI_Init(&argc, &argv);  // a launcher takes ranks that end without it for failed
        MPI_Finalize();
        return *status;
    }
    settle_messages();
    int provided = MPI_THREAD_SINGLE, rank = 0, length = 0;
    {
        const jacobi::Watchdog watch("MPI_Init, in which all ranks meet,", 3 * options.limit_s + 30, "doctor");
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    MPI_Get_processor_name(host, &length);
    int status = 0;
    try {
        status = jacobi::doctor::examine(options, provided);
    } catch (const jacobi::Error& error) {
        status = jacobi::fail(error, rank, host);
    } catch (const std::exception& error) {
        status = jacobi::fail(jacobi::Error(error.what()), rank, host);
    }
    const jacobi::Watchdog watch("MPI_Finalize", 3 * options.limit_s + 30, std::string("doctor on ") + host);
    MPI_Finalize();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    jacobi::set_program_name("doctor");
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {  // before MPI is up
        return jacobi::fail(jacobi::Error(error.what()), 0, "this host");
    }
}
