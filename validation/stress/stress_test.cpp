// Thousands of exchanges with ranks out of step: random pauses in front of a rank's boundary, interior and batches, batches of
// random length, residual checks in between, NaN in halos that have been used, on every rung of a back end, through shared memory
// and as messages. A wait that is missing, or waits for too little, lets a late rank read halos of a wrong generation; the field
// then differs from the serial reference. Usage: stress_test [seed [host|cuda]]
#include <fmt/ranges.h>

#include <cstring>
#include <optional>
#include <string>

#include "checks.hpp"
#include "dawdling.hpp"
#include "devices.hpp"
#include "machine.hpp"
#include "poison.hpp"
#include "reference.hpp"

using namespace jacobi;

namespace {

Problem stress_problem(const Index3& cells) {
    Problem p;
    p.grid.cells = cells;
    p.grid.periodic = {true, false, true};  // two ranks along an axis meet each other on both sides
    p.kind = ProblemKind::random;
    p.faces = {0, 0, 0.5, -0.25, 0, 0};
    return p;
}

/// A problem, advanced serially by as many sweeps as its runs do.
struct Case {
    Problem problem;
    Reference<double> reference;

    Case(const Index3& cells, Index sweeps) : problem(stress_problem(cells)), reference(problem) { reference.advance(sweeps); }
};

struct Way {
    const Topology& topology;
    std::string transport;
    const Rung& rung;
    bool overlap;
    int depth;
    std::optional<std::array<int, 3>> ranks;  ///< along each axis, where the case asks for it
};

void run_rung(test::Checks& checks, const std::string& backend_name, const Way& way, unsigned seed, const Case& stressed) {
    const Problem& problem = stressed.problem;
    const Index sweeps = stressed.reference.iteration();
    const Topology& topology = way.topology;
    const Decomposition d = way.ranks ? decompose(problem.grid.cells, problem.grid.periodic, checks.size(), *way.ranks)
                                      : decompose(problem.grid.cells, problem.grid.periodic, checks.size());
    const std::string where = fmt::format("{}{}, {}, {} nodes, depth {}, {} ranks, {} cells", way.rung.name,
                                          way.overlap ? ", overlap" : "", way.transport, topology.node_count, way.depth,
                                          fmt::join(d.ranks, " x "), fmt::join(problem.grid.cells, " x "));
    checks.run(where, [&] {
        Config config;
        config.problem = problem;
        config.device.backend = backend_name;
        config.device.threads = 1 + static_cast<int>(seed % 2);
        RunRecord record;
        const auto real = make_backend(topology, config, record);
        // Rungs that enqueue on a device's streams know its back end: there only batches are late.
        test::Dawdling dawdling(*real, seed * 977 + static_cast<unsigned>(checks.rank()));
        Backend& backend = backend_name == "host" ? dawdling : *real;
        ExchangeOptions options;
        options.transport = way.transport;
        options.sync = way.rung.name;
        options.overlap = way.overlap;
        options.temporal_depth = options.halo_depth = way.depth;
        options.force = true;
        for (const RankPlace& place : record.places) options.device_sharers = std::max(options.device_sharers, place.sharers);
        const FieldLayout layout(d.block(checks.rank()).extent(), way.depth, sizeof(double));
        checks.expect(!way.ranks || !backend.launch_bound(layout), where + ": blocks of this device's caches: take larger ones");
        HaloExchange exchange(topology, d, backend, problem, Precision::float64, options);
        exchange.prepare();
        test::Poison poison(*real, exchange, way.depth);
        std::mt19937 batches(seed);  // the same on all ranks: they issue the same batches
        double largest = 0;
        while (exchange.iteration() < sweeps) {
            dawdling.dawdle();
            exchange.advance(std::min<Index>(sweeps - exchange.iteration(), 1 + static_cast<Index>(batches() % 23)));
            if (batches() % 3 == 0) {  // reads halos while neighbours may be on their way
                exchange.make_halos_readable();
                largest = std::max(largest, backend.residual_max(exchange.generation()));
            }
            if (batches() % 4 == 0) {
                MPI_Barrier(MPI_COMM_WORLD);
                poison.spoil(exchange.generation());
            }
        }
        checks.expect(std::isfinite(largest), where + ": a residual is not finite: a halo was read that nobody had written");
        std::uint64_t digest = backend.digest(exchange.generation());
        MPI_Allreduce(MPI_IN_PLACE, &digest, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        checks.expect(digest == stressed.reference.digest(), where + ": the field differs from the reference");
        exchange.close();
    });
}

/// Every rung, transport and depth on a block so small that exchanges are most of the work.
void run_small(test::Checks& checks, const std::string& backend, const Topology& topology, unsigned seed) {
    const Topology two_nodes = discover_topology(MPI_COMM_WORLD, std::min(2, checks.size()));
    const Case small({19, 16, 13}, 600);
    for (const Rung& rung : rungs()) {
        if (*rung.backend != '\0' && rung.backend != backend) continue;
        const bool persistent = std::strcmp(rung.name, "persistent") == 0;
        const bool for_messages = std::strcmp(rung.name, "flag") != 0 && !persistent;
        for (const bool overlap : {false, true}) {
            const auto run = [&](const Topology& nodes, const char* transport, int depth) {
                run_rung(checks, backend, {nodes, transport, rung, overlap, depth, {}}, seed, small);
            };
            run(topology, "auto", 1);
            if (overlap && !(persistent && backend == "cuda")) run(topology, "auto", 3);
            if (!for_messages || checks.size() == 1) continue;
            run(topology, "mpi", 1);
            run(two_nodes, "auto", 1);
        }
    }
}

/// Blocks that no cache of a GPU holds: the CUDA back end walks those in other kernels.
void run_large(test::Checks& checks, const std::string& backend, const Topology& topology, unsigned seed) {
    for (int axis = 0; axis < 3; ++axis) {
        if (axis > 0 && checks.size() == 1) break;
        std::array<int, 3> ranks = {1, 1, 1};
        ranks[axis] = checks.size();
        Index3 cells = {163, 158, 161};
        cells[axis] *= checks.size();
        const Case large(cells, 150);
        for (const Rung& rung : rungs()) {
            if (*rung.backend != '\0' && rung.backend != backend) continue;
            const bool event = std::strcmp(rung.name, "event") == 0;
            if (event) run_rung(checks, backend, {topology, "auto", rung, false, 1, ranks}, seed, large);
            if (event && checks.size() > 1) run_rung(checks, backend, {topology, "mpi", rung, true, 1, ranks}, seed, large);
            run_rung(checks, backend, {topology, "auto", rung, true, 1, ranks}, seed, large);
            if (std::strcmp(rung.name, "persistent") != 0)
                run_rung(checks, backend, {topology, "auto", rung, true, 3, ranks}, seed, large);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0, status = 0;
    // Most messages here are larger than this: they travel by rendezvous, whose data leave the sender when the receiver is ready.
    setenv("OMPI_MCA_btl_vader_eager_limit", "512", 0);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    {
        const unsigned seed = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 1;
        const std::string backend = argc > 2 ? argv[2] : "host";
        if (backend == "cuda" && visible_devices().devices.empty()) {
            std::printf("SKIPPED: no CUDA device (%s)\n", visible_devices().reason.c_str());
            MPI_Finalize();
            return 77;
        }
        test::Checks checks;
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        run_small(checks, backend, topology, seed);
        if (backend == "cuda") run_large(checks, backend, topology, seed);
        status = checks.finish("stress_test");
    }
    MPI_Finalize();
    return status;
}
