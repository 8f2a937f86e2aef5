#include "solver.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace jacobi {

namespace {
constexpr double batch_seconds = 1.0;  // the longest time in which nobody listens
}

Solver::Solver(const Topology& topology, HaloExchange& exchange, Backend& backend, const Config& config)
    : topology_(topology),
      exchange_(exchange),
      backend_(backend),
      config_(config),
      batch_limit_(exchange.depths().temporal),
      reduction_(topology, exchange.notices(), config.comm.timeout_s) {}

Check Solver::check() {
    const Generation g = exchange_.generation();
    exchange_.make_halos_readable();
    // The bits of a non-negative double order as integers do, and a NaN's exceed them all: the maximum is exact in any order.
    std::array<std::uint64_t, 1> bits{std::bit_cast<std::uint64_t>(backend_.residual_max(g))};
    reduction_.max(bits, g, "residual maximum");
    Check result{exchange_.iteration(), std::bit_cast<double>(bits[0]), 0};
    if (!std::isfinite(result.residual_max)) {
        result.residual_l2 = result.residual_max;
    } else if (result.residual_max > 0) {
        const FixedScale scale = FixedScale::of(result.residual_max);
        const FixedSum mine = backend_.residual_square_sum(g, scale).carried();
        // Three words with room to spare: no sum over ranks can overflow.
        std::array<std::uint64_t, 3> words{mine.hi >> 32, mine.hi & 0xffffffffu, mine.lo};
        reduction_.sum(words, g, "residual sum");
        const FixedSum total{(words[0] << 32) + words[1], words[2]};
        result.residual_l2 = root_mean_square(total, scale, volume(config_.problem.grid.cells));
    }
    return result;
}

Index Solver::next_stop(Index iteration) const {
    const auto& s = config_.solver;
    Index stop = s.iterations;
    for (const Index every : {s.check_every, config_.output.every}) {
        if (every > 0) stop = std::min(stop, (iteration / every + 1) * every);
    }
    return stop - iteration;
}

void Solver::batch(Index sweeps, RunRecord& record) {
    const double begin = MPI_Wtime();
    exchange_.advance(sweeps);
    const double seconds = MPI_Wtime() - begin;
    const PhaseTimes times = backend_.take_phase_times();
    sampled_.boundary += times.boundary;
    sampled_.interior += times.interior;
    sampled_.sweeps += times.sweeps;
    // One reduction closes a batch; rank 0 alone says how long the next may be, so that all ranks issue the same one.
    std::array<std::uint64_t, 1> words{0};
    if (topology_.rank() == 0) {
        const double limit = batch_seconds * static_cast<double>(sweeps) / std::max(seconds, 1e-9);
        // Whole passes, of as many sweeps as they do.
        const auto pass = static_cast<std::uint64_t>(exchange_.depths().temporal);
        words[0] = std::max(pass, static_cast<std::uint64_t>(std::clamp(limit, 1.0, 1e9)) / pass * pass);
    }
    reduction_.max(words, exchange_.generation(), "end of a batch");
    batch_limit_ = static_cast<Index>(words[0]);
    record.solve_s += MPI_Wtime() - begin;
}

void Solver::run(RunRecord& record, const Hooks& hooks) {
    const auto& s = config_.solver;
    const auto timed_check = [&] {
        const double begin = MPI_Wtime();
        record.checks.push_back(check());
        record.check_s += MPI_Wtime() - begin;
        return record.checks.back();
    };
    double first = 0;
    const auto judge = [&](const Check& c) {
        record.diverged = !std::isfinite(c.residual_max);
        // Written so that a NaN is on neither side of it.
        record.converged = s.tolerance > 0 && c.residual_max <= s.tolerance * first;
    };

    Index k = exchange_.iteration();
    if (s.check_every > 0 || s.tolerance > 0 || k >= s.iterations) {
        const Check c = timed_check();
        first = c.residual_max;
        judge(c);
    }
    const auto ended = [&] { return k >= s.iterations || record.diverged || (record.converged && s.check_every > 0); };
    const Index start = k;
    while (!ended()) {
        const Index sweeps = std::min(next_stop(k), batch_limit_);
        batch(sweeps, record);
        k += sweeps;
        const bool checked = k == s.iterations || due(s.check_every, k);
        if (checked) judge(timed_check());
        // The field at the end is the caller's to store.
        if (due(config_.output.every, k) && !ended()) hooks.dump(checked ? record.checks.back() : check());
        record.iterations = k;
        if (hooks.progress) hooks.progress(record);
    }
    record.iterations = k;
    gather_phases(record, k - start);
}

void Solver::gather_phases(RunRecord& record, Index sweeps) {
    const double scale = sampled_.sweeps > 0 ? static_cast<double>(sweeps) / static_cast<double>(sampled_.sweeps) : 0;
    const std::array<double, 5> mine{sampled_.boundary * scale, sampled_.interior * scale, exchange_.wait_seconds(),
                                     record.solve_s, record.check_s};
    // Times are not negative, so their bits order as they do.
    std::array<std::uint64_t, 5> bits;
    std::transform(mine.begin(), mine.end(), bits.begin(), [](double s) { return std::bit_cast<std::uint64_t>(s); });
    reduction_.max(bits, exchange_.generation(), "times");
    const auto slowest = [&bits](int i) { return std::bit_cast<double>(bits[i]); };
    record.phases = {{"boundary", slowest(0)}, {"interior", slowest(1)}, {"wait", slowest(2)}};
    record.solve_s = slowest(3);
    record.check_s = slowest(4);
}

}  // namespace jacobi
