#include "verify.hpp"

#include <fmt/format.h>

#include <bit>

#include "closed_form.hpp"
#include "digest.hpp"
#include "reference.hpp"

namespace jacobi {

namespace {

constexpr Index reference_cells = Index{1} << 27;  // 1 GiB a buffer in double
constexpr double reference_updates = 4e10;         // about two minutes of one core

/// Rank 0 solves serially and hands every rank its block in pieces of a few planes; every rank compares with its own.
template <class T>
Verification verify_reference(const Topology& topology, const Decomposition& decomposition, const FieldPlanes& field,
                              const Config& config, Index iteration) {
    constexpr Index piece_cells = Index{1} << 23;
    const int rank = topology.rank();
    MPI_Comm world = topology.world.get();
    const auto planes_of = [&](int r, auto&& body) {
        const Index3 n = decomposition.block(r).extent();
        const Index step = std::max<Index>(1, piece_cells / (n[0] * n[1]));
        for (Index z = 0; z < n[2]; z += step) body(z, std::min(n[2], z + step), n);
    };
    std::uint64_t counts[2] = {0, 0};  // differing cells, not finite ones
    double largest = 0;
    std::vector<T> expected, own;
    const auto compare = [&](Index z0, Index z1) {
        own.resize(expected.size());
        field(z0, z1, own.data());
        for (std::size_t i = 0; i < own.size(); ++i) {
            counts[1] += std::isfinite(own[i]) ? 0 : 1;
            if (digest_bits(own[i]) == digest_bits(expected[i])) continue;
            ++counts[0];
            largest = std::max(largest, std::abs(static_cast<double>(own[i]) - static_cast<double>(expected[i])));
        }
    };
    if (rank == 0) {
        Reference<T> reference(config.problem);
        reference.advance(iteration);
        for (int r = 0; r < topology.size(); ++r) {
            const Index3 lo = decomposition.block(r).lo;
            planes_of(r, [&](Index z0, Index z1, const Index3& n) {
                expected.clear();
                for (Index z = z0; z < z1; ++z) {
                    for (Index y = 0; y < n[1]; ++y) {
                        const T* row = reference.values().data() + config.problem.grid.linear(lo[0], lo[1] + y, lo[2] + z);
                        expected.insert(expected.end(), row, row + n[0]);
                    }
                }
                if (r == 0) {
                    compare(z0, z1);
                } else {
                    MPI_Send(expected.data(), static_cast<int>(expected.size() * sizeof(T)), MPI_BYTE, r, 0, world);
                }
            });
        }
    } else {
        planes_of(rank, [&](Index z0, Index z1, const Index3& n) {
            expected.resize(static_cast<std::size_t>(n[0] * n[1] * (z1 - z0)));
            MPI_Recv(expected.data(), static_cast<int>(expected.size() * sizeof(T)), MPI_BYTE, 0, 0, world, MPI_STATUS_IGNORE);
            compare(z0, z1);
        });
    }
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_UINT64_T, MPI_SUM, world);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, world);
    Verification v;
    v.kind = "reference";
    v.error = largest;
    v.verdict = counts[0] == 0 && counts[1] == 0 ? Verification::Verdict::pass : Verification::Verdict::fail;
    if (counts[1] > 0) {
        v.text = fmt::format("{} cells are not finite", counts[1]);
    } else if (counts[0] > 0) {
        v.text = fmt::format("{} cells differ from the serial reference, by {:.3e} at most", counts[0], largest);
    } else {
        v.text = "same bits as the serial reference in every cell";
    }
    return v;
}

}  // namespace

Verify resolve_verify(const Config& config) {
    if (config.verify != Verify::automatic) return config.verify;
    return config.problem.kind == ProblemKind::random ? Verify::none : Verify::exact;
}

void require_verifiable(const Config& config) {
    if (resolve_verify(config) != Verify::reference) return;
    const Index cells = volume(config.problem.grid.cells);
    const double updates = static_cast<double>(cells) * static_cast<double>(config.solver.iterations);
    if (cells <= reference_cells && updates <= reference_updates) return;
    throw Error(fmt::format("verify.kind: reference solves serially on one core, so it takes at most {} cells and {:.0e} "
                            "updates; this deck has {} "
                            "and {:.1e}: use verify.kind: exact, or compare with another run's digest",
                            reference_cells, reference_updates, cells, updates),
                Exit::usage, true);
}

Verification verify_field(const Topology& topology, const Decomposition& decomposition, const FieldPlanes& field,
                          const Config& config, const RunRecord& record) {
    Verification v;
    if (record.diverged) {
        v.kind = "finite";
        v.verdict = Verification::Verdict::fail;
        v.text = fmt::format("diverged by sweep {}: the residual's maximum is {}", record.iterations,
                             record.checks.back().residual_max);
        return v;
    }
    switch (resolve_verify(config)) {
        case Verify::reference:
            return config.solver.precision == Precision::float64
                       ? verify_reference<double>(topology, decomposition, field, config, record.iterations)
                       : verify_reference<float>(topology, decomposition, field, config, record.iterations);
        case Verify::exact: {
            std::vector<Box> blocks;
            for (int r = 0; r < topology.size(); ++r) blocks.push_back(decomposition.block(r));
            const ClosedFormCheck c =
                verify_closed_form(topology.world.get(), config.problem, config.solver.precision, record.iterations,
                                   decomposition.block(topology.rank()), field, closed_form_samples(config.problem.grid, blocks));
            v.kind = "exact";
            v.error = c.error;
            v.text = c.verdict == Verdict::skipped ? "nothing was verified: " + c.text : c.text;
            v.verdict = c.verdict;
            return v;
        }
        default: v.text = "not asked for"; return v;
    }
}

}  // namespace jacobi
