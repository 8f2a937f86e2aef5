#include "run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <variant>

#include "collectives.hpp"
#include "configure.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "output_path.hpp"
#include "plan_setting.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "setting.hpp"
#include "solver.hpp"
#include "terminal.hpp"
#include "tty.hpp"
#include "verify.hpp"
#include "version.hpp"

namespace jacobi {

namespace {

class Run {
 public:
    Run(const Options& options, const Config& config, int thread_level)
        : options_(options),
          config_(config),
          topology_(discover_topology(MPI_COMM_WORLD, config.comm.virtual_nodes)),
          decomposition_(decomposition_of(config, topology_)),
          style_{wants_color(options.no_color)},
          guards_(config.comm.timeout_s, topology_),
          record_(started_record(config, topology_, decomposition_, thread_level)) {}

    void warn(const std::string& text) {
        if (!text.empty()) record_.warnings.push_back(text);
    }

    int execute() {
        const double start = MPI_Wtime();
        set_up();
        if (options_.dry_run) {
            if (root())
                options_.quiet ? print(stderr, warnings_text(record_, style_)) : print(stdout, dry_run_text(record_, style_));
            const Watchdog watch = guards_.guard("ending the run", 0);
            exchange_->close();
            return 0;
        }
        if (root() && !options_.quiet) print(stdout, header_text(record_, style_));
        if (root() && options_.quiet) print(stderr, warnings_text(record_, style_));
        solve();
        verify();
        // Before anything is stored: a disk that is full takes no results with it.
        if (root()) print(stdout, result_text(record_, options_.quiet, style_));
        results_->store_field();
        const Watchdog watch = guards_.guard("ending the run", 0);
        record_.total_s = slowest(MPI_Wtime() - start);
        results_->store_report();
        if (root() && !options_.quiet) print(stdout, closing_text(record_));
        exchange_->close();
        return status();
    }

 private:
    bool root() const { return topology_.rank() == 0; }

    void set_up() {
        const double begin = MPI_Wtime();
        const Watchdog watch = guards_.guard("setting up", 0);
        backend_ = make_backend(topology_, config_, record_, plans_of(config_, topology_));
        ExchangeOptions exchange = exchange_options(config_, record_, topology_.rank());
        exchange.without_fields = options_.dry_run;
        exchange_.emplace(topology_, decomposition_, *backend_, config_.problem, config_.solver.precision, exchange);
        results_.emplace(topology_, *backend_, *exchange_, config_, guards_, record_);
        record_exchange(topology_, decomposition_, *exchange_, record_);
        if (options_.dry_run) {
            record_.memory = exchange_->memory_needs();
            for (const MemoryNeed& need : record_.memory) {
                if (!need.fits()) warn("a run does not fit here: it needs " + need.text());
            }
            return;
        }
        record_.copy_gbs = measure_copy_gbs(*exchange_, 0.2);
        record_.peers = exchange_->measure_peer_rates();
        exchange_->prepare();
        record_plan(topology_, *backend_, record_);
        record_.setup_s = slowest(MPI_Wtime() - begin);
    }

    void solve() {
        Solver solver(topology_, *exchange_, *backend_, config_);
        Progress progress(root() && !options_.quiet && reaches_terminal(STDERR_FILENO));
        Solver::Hooks hooks;
        if (root()) hooks.progress = [&](const RunRecord& r) { progress.update(r); };
        hooks.dump = [&](const Check& check) { results_->dump(check, dump_path(config_.output.file, check.iteration)); };
        solver.run(record_, hooks);
    }

    void verify() {
        const double begin = MPI_Wtime();
        const double cells = static_cast<double>(volume(config_.problem.grid.cells));
        const Watchdog watch = guards_.guard("verifying", cells * 1e-6 + cells * static_cast<double>(record_.iterations) * 1e-7);
        record_.digest = field_digest(*backend_, *exchange_);
        record_.verification = verify_field(
            topology_, decomposition_,
            [&](Index z0, Index z1, void* to) { backend_->read_planes(exchange_->generation(), z0, z1, to); }, config_, record_);
        record_.verify_s = slowest(MPI_Wtime() - begin);
    }

    int status() const {
        const Verification::Verdict verdict = record_.verification.outcome();
        if (verdict == Verification::Verdict::fail) return static_cast<int>(Exit::verification);
        // What was asked for by name is done only with a verdict.
        if (verdict == Verification::Verdict::skipped && config_.verify == Verify::exact) {
            if (root()) print(stderr, "jacobi: verify.kind: exact was asked for, but " + record_.verification.text + '\n');
            return static_cast<int>(Exit::verification);
        }
        if (config_.solver.tolerance > 0 && !record_.converged) return static_cast<int>(Exit::tolerance);
        return static_cast<int>(Exit::success);
    }

    Options options_;
    Config config_;
    Topology topology_;
    Decomposition decomposition_;
    Style style_;
    Guards guards_;
    RunRecord record_;
    std::unique_ptr<Backend> backend_;
    std::optional<HaloExchange> exchange_;
    std::optional<Results> results_;
};

}  // namespace

int run(int argc, const char* const* argv, int thread_level) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto parsed = parse_options(argc, argv, fmt::format("jacobi {} ({})", version, git_describe));
    if (const Ended* ended = std::get_if<Ended>(&parsed)) {
        if (rank == 0) print(ended->status == Exit::success ? stdout : stderr, ended->text);
        return static_cast<int>(ended->status);
    }
    const Options& options = std::get<Options>(parsed);
    if (options.list) {
        const Watchdog watch("meeting the other ranks", meeting_limit_s, fmt::format("rank {}", rank));
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        if (rank == 0) print(stdout, list_machine(topology));
        return 0;
    }
    std::optional<Run> run;
    {
        const Watchdog watch("reading the deck and meeting the other ranks", meeting_limit_s, fmt::format("rank {}", rank));
        const std::optional<Config> config = configure(options);
        if (!config) return static_cast<int>(Exit::usage);
        run.emplace(options, *config, thread_level);  // refuses ranks that the grid cannot take
        run->warn(require_outputs(*config, options));
    }
    return run->execute();
}

}  // namespace jacobi
