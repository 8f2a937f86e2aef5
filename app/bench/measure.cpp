#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectives.hpp"
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

}  // namespace

/// Back end, exchange and solver of a configuration.
struct Bench::Exchange {
    Exchange(const Topology& topology, const Config& asked, int thread_level)
        : config(asked),
          decomposition(decomposition_of(config, topology)),
          record(started_record(config, topology, decomposition, thread_level)),
          backend(make_backend(topology, config, record)),
          exchange(topology, decomposition, *backend, config.problem, config.solver.precision, exchange_options(config, record)),
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
    const double cells = static_cast<double>(volume(asked.cells)) * topology_.size();
    const Config config = config_of(Case{asked.cells, asked.problem, asked.precision, {}, "auto", "auto"}, common_);
    const Guards guards(config.comm.timeout_s, topology_);
    // Sweeps have limits of their own, which say more; a thousand times what cells may take is no limit that a slow machine
    // meets.
    const Watchdog watch = guards.guard("measuring " + text(asked), cells * 1e-5 + 20 * effort.seconds * (effort.repeats + 2));
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
        Exchange e(topology_, config_of(asked, common_), thread_level_);
        e.record.copy_gbs = measure_copy_gbs(e.exchange, effort.copy_seconds);
        e.exchange.prepare();
        e.record.pass_shape = e.backend->pass_shape();
        e.run(effort.verified_sweeps);
        row.digest = known_[text(asked)] = field_digest(*e.backend, e.exchange);

        const Index sweeps = sweeps_of(e, effort.seconds);
        std::vector<double> us;
        for (int i = 0; i < effort.repeats; ++i) us.push_back(e.run(sweeps) / static_cast<double>(sweeps) * 1e6);
        row.us = spread_of(us);
        e.exchange.close();

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
    Exchange e(topology_, config_of(asked, common_), thread_level_);
    e.exchange.prepare();
    e.run(sweeps);
    const std::uint64_t digest = known_[text(asked)] = field_digest(*e.backend, e.exchange);
    e.exchange.close();
    return digest;
}

void Bench::require_first(const Case& asked, Index sweeps) {
    if (digests_.has(asked)) return;
    const Case plain = plainest(asked);
    digests_.enter(plain, digest_of(plain, sweeps), sweeps);
}

}  // namespace jacobi::bench
