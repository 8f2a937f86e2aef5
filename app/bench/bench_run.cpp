#include "bench_run.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "collectives.hpp"
#include "configure.hpp"
#include "machine.hpp"
#include "measure.hpp"
#include "output_checks.hpp"
#include "plan.hpp"
#include "plan_setting.hpp"
#include "report_file.hpp"
#include "setting.hpp"
#include "table_json.hpp"
#include "table_text.hpp"
#include "tty.hpp"
#include "version.hpp"

namespace jacobi::bench {
namespace {

/// Before any work is done: rank 0 says for all whether the document can be written.
void require_file(const std::string& path, bool root) {
    Config config;
    config.report.file = path;
    const std::string fault = broadcast(root ? check_outputs(config, "", "--json") : "");
    if (!fault.empty()) throw Error(fault, Exit::usage, true);
}

/// All ranks end alike if it cannot be written.
void store(const std::string& path, const std::string& document, bool root) {
    std::string fault;
    try {
        if (root) replace_file(path, document);
    } catch (const Error& error) {
        fault = error.what();
    }
    fault = broadcast(fault);
    if (!fault.empty()) throw Error(fault, Exit::failure, true);
}

bool splits(const std::string& setting) { return setting.starts_with("comm.ranks="); }

Case cube(Index edge) {
    Case c;
    c.cells = {edge, edge, edge};
    return c;
}

/// How ranks are spread: as a setting says, else most nearly cubic, the x axis split last, since its faces are strided in memory.
std::array<int, 3> split(const Common& common, int ranks) {
    if (std::any_of(common.overrides.begin(), common.overrides.end(), splits)) {
        constexpr Index roomy = Index{1} << 19;  // cells for any number of ranks: what is wrong with them is not the grid
        if (const auto set = config_of(cube(roomy), common).comm.ranks) return *set;  // examine() refuses what does not fit
    }
    int slowest_first[3] = {0, 0, 0};
    MPI_Dims_create(ranks, 3, slowest_first);
    return {slowest_first[2], slowest_first[1], slowest_first[0]};
}

/// The same questions for all configurations, asked once: what everything runs on, and how many sweeps a pass that offers.
struct Machine {
    RunRecord record;
    int most_depth = 1;
};
Machine examine(const Topology& topology, const Config& config, int thread_level) {
    const Guards guards(config.comm.timeout_s, topology);
    const Watchdog watch = guards.guard("setting up", 0);
    const Decomposition decomposition = decomposition_of(config, topology);
    Machine machine{started_record(config, topology, decomposition, thread_level)};
    const auto backend = make_backend(topology, config, machine.record);
    machine.most_depth = backend->depth_limits(decomposition.block(topology.rank()).extent(), false).most;
    MPI_Allreduce(MPI_IN_PLACE, &machine.most_depth, 1, MPI_INT, MPI_MIN, topology.world.get());
    return machine;
}

/// The rate over that of staged messages, where they were measured.
void compare(Row& row, const std::vector<Row>& rows) {
    const auto same = [](const Case& a, const Case& b) {
        return a.cells == b.cells && a.problem == b.problem && a.precision == b.precision && a.depth == b.depth;
    };
    for (const Row& other : rows) {
        if (other.measured() && is_staged(other.asked) && same(other.asked, row.asked))
            row.over_staged = other.us.median / row.us.median;
    }
}

}  // namespace

int run(int argc, const char* const* argv, int thread_level) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool root = rank == 0;
    const auto parsed = parse_bench_options(argc, argv, fmt::format("bench {} ({})", version, git_describe));
    if (const Ended* ended = std::get_if<Ended>(&parsed)) {
        if (root) print(ended->status == Exit::success ? stdout : stderr, ended->text);
        return static_cast<int>(ended->status);
    }
    const auto& options = std::get<BenchOptions>(parsed);
    require_isa();

    Table table;
    table.repeats = options.repeats;
    table.seconds = options.repeat_seconds();
    Common& common = table.common;
    common = {{1, 1, 1}, options.periodic, options.backend, options.overrides};
    common.ranks = split(common, ranks);
    std::erase_if(common.overrides, splits);
    const Config first = config_of(cube(1), common);
    const Guards guards(first.comm.timeout_s, fmt::format("rank {}", rank));
    const Topology topology = [&] {
        const Watchdog watch = guards.guard("meeting the other ranks", 0);
        if (!options.json.empty()) require_file(options.json, root);
        return discover_topology(MPI_COMM_WORLD, first.comm.virtual_nodes);
    }();
    const Plans plans = plans_of(first, topology);
    const Machine machine = examine(topology, first, thread_level);
    table.machine = machine.record;
    const std::vector<Case> cases = plan(options, table.machine.backend, ranks, build_support());
    for (const Case& c : cases) (void)config_of({c.cells, c.problem, c.precision, c.depth}, common);  // faults before any work

    const Style style{wants_color(options.no_color)};
    const bool watched = root && reaches_terminal(STDERR_FILENO);
    if (root) print(stdout, table_header(table, style));
    Bench bench(topology, common, plans, thread_level, first.comm.timeout_s);
    for (const Case& c : cases) {
        if (watched) print(stderr, fmt::format("\r{}\033[K", text(c)));
        Row row;
        try {
            row = bench.measure(c, {options.repeats, options.repeat_seconds(), options.copy_seconds(),
                                    verified_sweeps(c.cells, cases, machine.most_depth)});
        } catch (...) {  // the error ends the program; the lines that stand keep their notes
            if (root && !table.notes.empty()) print(stdout, table_notes(table));
            throw;
        }
        if (watched) print(stderr, "\r\033[K");
        table.rows.push_back(std::move(row));
        if (table.rows.back().measured()) compare(table.rows.back(), table.rows);
        const std::string line = row_text(table.rows.back(), table, style);
        if (root) print(stdout, line);
        table.complete = table.rows.size() == cases.size();
        // Row by row: what a run has measured that is ended from outside is kept.
        if (!options.json.empty()) {
            const Watchdog watch = guards.guard("writing " + options.json, 0);
            store(options.json, table_json(table), root);
        }
    }
    if (root) print(stdout, table_footer(table, style));
    return static_cast<int>(table.status());
}

}  // namespace jacobi::bench
