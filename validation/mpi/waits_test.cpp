// Waits in vain: of two ranks one stays out of a batch of passes, on every rung of a back end. The other must give up in bounded
// time and say for whom, in which direction and for which generation it has waited, also where kernels wait that run a whole
// batch; and where all ranks meet. Usage: waits_test [host|cuda]
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include "checks.hpp"
#include "devices.hpp"
#include "halo_exchange.hpp"
#include "machine.hpp"
#include "reduction.hpp"

using namespace jacobi;

namespace {

constexpr double timeout_s = 1;
constexpr Index together = 8;  // sweeps of both ranks, after which each is at this generation
constexpr Index on_chip = 64;  // cells along an axis of a block whose tiles stay on a GPU's chip

struct Way {
    Rung rung;
    Index edge;  ///< cells of a rank's block along each axis
    std::string text() const { return std::string(rung.name) + ", " + std::to_string(edge) + " cells cubed"; }
};

/// Both ranks do some sweeps, then rank 0 alone goes on: throws what it says when it gives up. Destroys everything on the way
/// out, as the program does.
void go_on_alone(test::Checks& checks, const Topology& topology, const std::string& backend_name, const Way& way) {
    Config config;
    config.problem.grid.cells = {way.edge, way.edge, 2 * way.edge};
    config.problem.kind = ProblemKind::random;
    config.device.backend = backend_name;
    RunRecord record;
    const auto backend = make_backend(topology, config, record);
    ExchangeOptions options;
    options.sync = way.rung.name;
    options.temporal_depth = options.halo_depth = 1;
    options.timeout_s = timeout_s;
    options.force = true;
    for (const RankPlace& place : record.places) options.device_sharers = std::max(options.device_sharers, place.sharers);
    options.multi_process_service = record.multi_process_service;
    HaloExchange exchange(topology, {config.problem.grid.cells, config.problem.grid.periodic, {1, 1, 2}}, *backend,
                          config.problem, Precision::float64, options);
    exchange.prepare();
    exchange.advance(together);
    MPI_Barrier(MPI_COMM_WORLD);
    if (checks.rank() == 0) exchange.advance(20000);  // more passes than a device's queue takes
    MPI_Barrier(MPI_COMM_WORLD);                      // rank 1 is there until rank 0 has left the exchange
}

void run_way(test::Checks& checks, const Topology& topology, const std::string& backend_name, const Way& way) {
    std::string said;
    const double begin = MPI_Wtime();
    try {
        go_on_alone(checks, topology, backend_name, way);
    } catch (const Error& error) {
        said = error.what();
        checks.expect(!error.collective(), way.text() + ": the error is not this rank's alone: " + said);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (checks.rank() != 0) return;
    std::printf("%s: after %.1f s: %s\n", way.text().c_str(), MPI_Wtime() - begin, said.c_str());
    const bool barrier = std::strcmp(way.rung.name, "barrier") == 0;
    const std::string direction = barrier ? "any \\(barrier\\)" : "z\\+";
    const std::regex wanted("rank 0 \\(\\S+\\) waited [0-9]+ s for generation ([0-9]+) of rank 1 \\(\\S+\\) in direction " +
                            direction + ", which is at ([0-9]+): .*");
    std::smatch found;
    const bool told = std::regex_match(said, found, wanted);
    checks.expect(told, way.text() + ": said \"" + said + '"');
    if (!told) return;
    const Index expected = std::stoll(found[1]), seen = std::stoll(found[2]);
    // At a barrier ranks announce what they have come to, in mailboxes for rims what they have sent, which is not the last
    // generation of a batch; everywhere else what they have done.
    const bool mailboxes = backend_name == "cuda" && std::strcmp(way.rung.name, "persistent") == 0 && way.edge == on_chip;
    checks.expect(seen == (barrier || mailboxes ? together - 1 : together), way.text() + ": seen at " + std::to_string(seen));
    // A stream's host is passes ahead of the device whose wait it reports.
    const bool ahead = backend_name == "cuda" && std::strcmp(way.rung.name, "stream") == 0;
    checks.expect(ahead ? expected > seen : expected == seen + 1, way.text() + ": waited for " + std::to_string(expected));
}

/// A rank that stops where all meet, after it has come: the board says that it is there, but not that it waits.
void stop_in_a_reduction(test::Checks& checks, const Topology& topology) {
    NoticeBoard board(topology);
    std::string said;
    std::uint64_t words[1] = {0};
    if (checks.rank() == 0) {
        Reduction reduction(topology, board, timeout_s);
        try {
            reduction.max(words, 5, "end of a batch");
        } catch (const Error& error) {
            said = error.what();
        }
        const std::regex wanted(
            "waited 1 s for all ranks at generation 5 \\(end of a batch\\): all have come, so one of them has "
            "stopped or died since: rank 1 \\(\\S+, seen at 0\\) has not moved any more .*");
        checks.expect(std::regex_match(said, wanted), "a reduction: said \"" + said + '"');
    } else {
        board.beat();
        board.publish_reduction(1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (checks.rank() != 0) {  // so that nothing is left open
        MPI_Request request;
        MPI_Iallreduce(MPI_IN_PLACE, words, 1, MPI_UINT64_T, MPI_MAX, topology.world.get(), &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// The rungs of a back end. A stream's wait for a counter ends with the process only, and whatever frees memory waits for it: it
/// comes last.
std::vector<Way> ways(const std::string& backend) {
    std::vector<Way> list;
    for (const Rung& rung : rungs()) {
        if (*rung.backend != '\0' && rung.backend != backend) continue;
        list.push_back({rung, on_chip});
        // On a GPU these go through memory, where others wait in another way.
        const bool waits_inside = std::strcmp(rung.name, "persistent") == 0 || std::strcmp(rung.name, "flag") == 0;
        if (backend == "cuda" && waits_inside) list.push_back({rung, 200});
    }
    std::stable_partition(list.begin(), list.end(), [](const Way& w) { return std::strcmp(w.rung.name, "stream") != 0; });
    return list;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0, status = 77;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    const std::string backend = argc > 1 ? argv[1] : "host";
    test::Checks checks;
    if (backend == "cuda" && visible_devices().devices.empty()) {
        if (checks.rank() == 0) std::printf("SKIPPED: no CUDA device (%s)\n", visible_devices().reason.c_str());
    } else {
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        checks.run("a reduction", [&] { stop_in_a_reduction(checks, topology); });
        for (const Way& way : ways(backend)) checks.run(way.text(), [&] { run_way(checks, topology, backend, way); });
        status = checks.finish("waits_test");
    }
    std::fflush(stdout);
    MPI_Finalize();
    _exit(status);  // a device that still waits is left to the driver
}
