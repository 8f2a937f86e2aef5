// Thousands of exchanges with ranks out of step: random pauses in front of a rank's boundary, interior and batches, batches of
// random length, residual checks in between, NaN in halos that have been used, on every rung of a back end, through shared memory
// and as messages. A wait that is missing, or waits for too little, lets a late rank read halos of a wrong generation; the field
// then differs from the serial reference. Usage: stress_test [seed [host|cuda]]
#include <cstring>
#include <string>

#include "checks.hpp"
#include "dawdling.hpp"
#include "devices.hpp"
#include "machine.hpp"
#include "poison.hpp"
#include "reference.hpp"

using namespace jacobi;

namespace {

Problem stress_problem() {
    Problem p;
    p.grid.cells = {19, 16, 13};
    p.grid.periodic = {true, false, true};  // two ranks along an axis meet each other on both sides
    p.kind = ProblemKind::random;
    p.faces = {0, 0, 0.5, -0.25, 0, 0};
    return p;
}

struct Way {
    const Topology& topology;
    std::string transport;
    const Rung& rung;
    bool overlap;
    int depth;
};

void run_rung(test::Checks& checks, const std::string& backend_name, const Way& way, unsigned seed, Index sweeps,
              Reference<double>& reference) {
    const Problem problem = stress_problem();
    const Topology& topology = way.topology;
    const std::string where = std::string(way.rung.name) + (way.overlap ? ", overlap, " : ", ") + way.transport + ", " +
                              std::to_string(topology.node_count) + " nodes, depth " + std::to_string(way.depth);
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
        const Decomposition d = decompose(problem.grid.cells, problem.grid.periodic, checks.size());
        ExchangeOptions options;
        options.transport = way.transport;
        options.sync = way.rung.name;
        options.overlap = way.overlap;
        options.temporal_depth = options.halo_depth = way.depth;
        options.force = true;
        for (const RankPlace& place : record.places) options.device_sharers = std::max(options.device_sharers, place.sharers);
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
        checks.expect(digest == reference.digest(), where + ": the field differs from the reference");
        exchange.close();
    });
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
        constexpr Index sweeps = 600;
        test::Checks checks;
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        const Topology two_nodes = discover_topology(MPI_COMM_WORLD, std::min(2, checks.size()));
        Reference<double> reference(stress_problem());
        reference.advance(sweeps);
        for (const Rung& rung : rungs()) {
            if (*rung.backend != '\0' && rung.backend != backend) continue;
            const bool persistent = std::strcmp(rung.name, "persistent") == 0;
            const bool for_messages = std::strcmp(rung.name, "flag") != 0 && !persistent;
            for (const bool overlap : {false, true}) {
                const auto run = [&](const Topology& nodes, const char* transport, int depth) {
                    run_rung(checks, backend, {nodes, transport, rung, overlap, depth}, seed, sweeps, reference);
                };
                run(topology, "auto", 1);
                if (overlap && !(persistent && backend == "cuda")) run(topology, "auto", 3);
                if (!for_messages || checks.size() == 1) continue;
                run(topology, "mpi", 1);
                run(two_nodes, "auto", 1);
            }
        }
        status = checks.finish("stress_test");
    }
    MPI_Finalize();
    return status;
}
