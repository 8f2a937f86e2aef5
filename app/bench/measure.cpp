#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine.hpp"
#include "setting.hpp"
#include "solver.hpp"

namespace jacobi::bench {
namespace {

/// What the build lacks, which a deck's reader calls an error of the deck.
void require_built(const Case& c) {
    const Support build = build_support();
    if (c.transport == "auto" ||
        std::find(build.transports.begin(), build.transports.end(), c.transport) != build.transports.end())
        return;
    throw Error(fmt::format("{}: this build has no such transport (jacobi --list)", c.transport), Exit::failure, true);
}

/// Seconds beside the usual limit: far more than filling or reading the fields takes, were it on one slow core.
double patience(const Case& c, int ranks) { return static_cast<double>(volume(c.cells)) * ranks * 1e-6; }

}  // namespace

/// Back end, exchange and solver of a configuration.
struct Bench::Exchange {
    Exchange(const Topology& topology, const Config& asked, const Plans& plans, int thread_level)
        : config(asked),
          decomposition(decomposition_of(config, topology)),
          record(started_record(config, topology, decomposition, thread_level)),
          backend(make_backend(topology, config, record, plans)),
          exchange(topology, decomposition, *backend, config.problem, config.solver.precision,
                   exchange_options(config, record, topology.rank())),
          solver(topology, exchange, *backend, config) {
        record_exchange(topology, decomposition, exchange, record);
    }

    /// Collective. Seconds of the sweeps of the slowest rank, the same number on all ranks.
    double run(Index sweeps) {
        config.solver.iterations = exchange.iteration() + sweeps;
        record.solve_s = 0;
        record.checks.clear();
        solver.run(record, {});
        if (!record.diverged) return record.solve_s;
        throw Error(fmt::format("the field is not finite after {} sweeps", exchange.iteration()), Exit::verification, true);
    }

    Config config;  // the solver reads its number of sweeps
    Decomposition decomposition;
    RunRecord record;
    std::unique_ptr<Backend> backend;
    HaloExchange exchange;
    Solver solver;
};

std::unique_ptr<Bench::Exchange> Bench::set_up(const Case& asked, double copy_seconds) {
    const Watchdog watch = guards_.guard("setting up " + text(asked), patience(asked, topology_.size()));
    auto e = std::make_unique<Exchange>(topology_, config_of(asked, common_), plans_, thread_level_);
    if (copy_seconds > 0) e->record.copy_gbs = measure_copy_gbs(e->exchange, copy_seconds);
    e->exchange.prepare();
    record_plan(topology_, *e->backend, e->record);
    return e;
}

std::uint64_t Bench::digest(Exchange& e, const Case& asked) {
    const Watchdog watch = guards_.guard("computing the digest of " + text(asked), patience(asked, topology_.size()));
    return field_digest(*e.backend, e.exchange);
}

void Bench::tear_down(Exchange& e, const Case& asked) {
    const Watchdog watch = guards_.guard("ending " + text(asked), 0);
    e.exchange.close();
}

Index Bench::sweeps_of(Exchange& e, double seconds) {
    const Index pass = e.exchange.depths().temporal;
    Index passes = 1;
    for (;;) {
        // The faster of two: a pause of the machine in one of them would make repeats too short.
        const double taken = std::min(e.run(passes * pass), e.run(passes * pass));
        const double factor = seconds / std::max(taken, 1e-9);
        if (factor <= 2) return std::max<Index>(1, std::llround(static_cast<double>(passes) * factor)) * pass;
        passes = static_cast<Index>(std::ceil(static_cast<double>(passes) * std::min(factor, 16.0)));
    }
}

Row Bench::measure(const Case& asked, const Effort& effort) {
    Row row;
    try {
        require_built(asked);
        row = timed(asked, effort);
    } catch (const Error& error) {
        // What all ranks were told alike, before a sweep: they go on with the next configuration together.
        if (!error.collective() || error.exit() == Exit::verification) throw;
        row.refusal = error.what();
    }
    row.asked = asked;
    if (!row.measured()) return row;

    Case random = asked;
    random.problem = ProblemKind::random;
    for (const auto& [c, digest] : {std::pair{random, row.random_digest}, {asked, row.digest}}) {
        if (!row.wrong.empty()) break;
        row.wrong = digests_.enter(c, digest, row.verified_sweeps);
    }
    return row;
}

Row Bench::timed(const Case& asked, const Effort& effort) {
    Row row;
    row.verified_sweeps = effort.verified_sweeps;
    Case as_run = asked;
    {
        const auto exchange = set_up(asked, effort.copy_seconds);
        Exchange& e = *exchange;
        e.run(effort.verified_sweeps);
        row.digest = known_[text(asked)] = digest(e, asked);

        const Index sweeps = sweeps_of(e, effort.seconds);
        std::vector<double> us;
        for (int i = 0; i < effort.repeats; ++i) us.push_back(e.run(sweeps) / static_cast<double>(sweeps) * 1e6);
        row.us = spread_of(us);
        tear_down(e, asked);

        row.record = e.record;
        row.record.iterations = sweeps;
        row.record.solve_s = row.us.median * 1e-6 * static_cast<double>(sweeps);
        as_run.depth = e.record.temporal_depth;
        as_run.rung = e.record.sync;
    }
    as_run.problem = ProblemKind::random;
    row.random_digest = asked.problem == ProblemKind::random ? row.digest : digest_of(as_run, effort.verified_sweeps);
    require_first(as_run, effort.verified_sweeps);
    require_first(asked, effort.verified_sweeps);
    return row;
}

std::uint64_t Bench::digest_of(const Case& asked, Index sweeps) {
    const auto known = known_.find(text(asked));
    if (known != known_.end()) return known->second;
    const auto exchange = set_up(asked, 0);
    exchange->run(sweeps);
    const std::uint64_t found = known_[text(asked)] = digest(*exchange, asked);
    tear_down(*exchange, asked);
    return found;
}

void Bench::require_first(const Case& asked, Index sweeps) {
    if (digests_.has(asked)) return;
    const Case plain = plainest(asked);
    digests_.enter(plain, digest_of(plain, sweeps), sweeps);
}

}  // namespace jacobi::bench
