#include "options.hpp"

#include <CLI/CLI.hpp>

namespace jacobi {
namespace {

const char* const description =
    "jacobi: a distributed 3D Jacobi mini-app, one MPI rank a GPU, halos through CUDA IPC, between nodes through MPI.\n"
    "Runs the problem of a YAML deck and verifies the result; inputs/README.md lists the keys of a deck.\n"
    "  mpirun -np 8 ./jacobi inputs/cube.yaml\n"
    "  mpirun -np 8 ./jacobi inputs/cube.yaml --set 'grid.cells=[128, 128, 128]' --set solver.precision=float";

const char* const footer =
    "Exit status:\n"
    "  0  done, and verified where asked; a dry run that found no fault, also where the memory is too small for a run\n"
    "  1  run-time failure, also what only the running machine can refuse (forced transport, back end or rung; memory), a wait\n"
    "     past comm.timeout_s, and an interrupted run\n"
    "  2  bad deck, option or file: none to read, a grid that overflows 64 bits, ranks that the grid cannot take, a key or\n"
    "     rung that this build lacks, a file that cannot be written or that output.overwrite protects; nothing was computed\n"
    "  3  verification failed, the field diverged, or verify.kind: exact could not be decided; counts before 4\n"
    "  4  tolerance set and not reached\n"
    "The report is written on 0, 3 and 4. A rank that is killed by a signal: mpirun's own status.\n"
    "Deck keys: inputs/README.md";

}  // namespace

std::variant<Options, Ended> parse_options(int argc, const char* const* argv, const std::string& version) {
    Options options;
    CLI::App app(description, "jacobi");
    app.footer(footer);
    app.get_formatter()->column_width(28);
    app.set_version_flag("--version", version, "print the version and end");
    app.add_option("DECK", options.deck, "the problem, a YAML file")->type_name("");
    app.add_option("--set", options.overrides, "set a key of the deck, over the file's value; repeatable, the last one counts")
        ->type_name("key.path=value")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--restart", options.restart, "continue from a checkpoint (reserved, not implemented yet)")->type_name("FILE");
    app.add_option("--report", options.report, "write the JSON report here, over the deck's report.file")->type_name("FILE");
    app.add_flag(
        "--dry-run", options.dry_run,
        "print decomposition, memory needed and free, edges and transports; touch no file, run no sweep, need no memory");
    app.add_flag("--list", options.list, "print back ends, devices and transports, built in and usable");
    app.add_flag("--quiet", options.quiet, "print only the digest, the figure of merit, the verification and errors");
    app.add_flag("--no-color", options.no_color, "no colours on a terminal");
    try {
        app.parse(argc, argv);
        if (options.deck.empty() && !options.list) throw CLI::RequiredError("DECK");
    } catch (const CLI::CallForHelp&) {
        return Ended{Exit::success, app.help()};
    } catch (const CLI::CallForVersion&) {
        return Ended{Exit::success, version + "\n"};
    } catch (const CLI::ParseError& error) {
        return Ended{Exit::usage, std::string("jacobi: ") + error.what() + " (jacobi --help lists the options)\n"};
    }
    return options;
}

}  // namespace jacobi
