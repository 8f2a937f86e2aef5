// Every way of running gives the same bits: problems x precisions x grids x rungs x overlap x decompositions, each with a solver
// of its own, against the serial reference; halos through shared memory, as messages, and both in one run.
// Usage: bits_test [host|cuda [N]]; with N every N-th case only, other ones for other rank counts.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "block_order.hpp"
#include "checks.hpp"
#include "devices.hpp"
#include "digest.hpp"
#include "machine.hpp"
#include "reference.hpp"
#include "solver.hpp"
#include "transport/message_transport.hpp"

using namespace jacobi;

namespace {

constexpr Index sweeps = 17;
constexpr Index halfway = 6;  // residual and field are looked at here too, so that halos are read in the middle of a run

struct Case {
    std::string name;
    Problem problem;
};

Problem problem_on(const Index3& cells, const std::array<bool, 3>& periodic, ProblemKind kind) {
    Problem p;
    p.grid.cells = cells;
    p.grid.length = {1.0, 0.7, 1.9};
    p.grid.periodic = periodic;
    p.kind = kind;
    for (int a = 0; a < 3; ++a) {
        p.mode[a] = std::min<Index>(2, periodic[a] ? cells[a] / 2 : cells[a]);
        p.faces[2 * a] = periodic[a] ? 0 : 0.25 * (a + 1);  // six different values: a halo taken from a wrong side shows
        p.faces[2 * a + 1] = periodic[a] ? 0 : -1.5 + a;
    }
    p.seed = 7;
    return p;
}

std::vector<Case> cases(int ranks) {
    std::vector<Case> all;
    const auto add = [&](const std::string& name, const Index3& n, const std::array<bool, 3>& periodic) {
        for (const auto& [kind, kind_name] : {std::pair{ProblemKind::laplace, "laplace"},
                                              {ProblemKind::random, "random"},
                                              {ProblemKind::eigenmode, "eigenmode"},
                                              {ProblemKind::poisson, "poisson"}}) {
            all.push_back({name + " " + kind_name, problem_on(n, periodic, kind)});
        }
    };
    add("37x23x19", {37, 23, 19}, {false, false, false});
    add("40x13x31 periodic y", {40, 13, 31}, {false, true, false});
    add("9x39x12 periodic xyz", {9, 39, 12}, {true, true, true});
    // Rows so long that no persistent tile stays on a GPU's chip.
    all.push_back({"2100x5x4 random", problem_on({2100, 5, 4}, {false, true, false}, ProblemKind::random)});
    // Large enough a block that the host back end's streaming stores run.
    if (ranks <= 2) all.push_back({"131x80x61 random", problem_on({131, 80, 61}, {false, true, false}, ProblemKind::random)});
    // Persistent tiles on an H200's chip that have several rows a thread, some with one row left over, and more planes than a
    // thread does between barriers.
    if (ranks <= 2) all.push_back({"400x31x40 random", problem_on({400, 31, 40}, {true, true, false}, ProblemKind::random)});
    add("one wide", {static_cast<Index>(ranks), 3, 2}, {ranks % 2 == 0, false, true});
    return all;
}

/// Compares the field and its derived numbers of one run with the reference.
template <class T>
class Comparison {
 public:
    Comparison(test::Checks& checks, const Topology& topology, Backend& backend, HaloExchange& exchange, Solver& solver,
               Reference<T>& reference, const Grid& grid, std::string where)
        : checks_(checks),
          topology_(topology),
          backend_(backend),
          exchange_(exchange),
          solver_(solver),
          reference_(reference),
          grid_(grid),
          where_(std::move(where)) {}

    void at(Index iteration) {
        const std::string where = where_ + " at " + std::to_string(iteration);
        const Check check = solver_.check();
        const auto expected = reference_.residual();
        checks_.expect(check.residual_max == expected.max, where + ": residual maximum");
        checks_.expect(check.residual_l2 == expected.l2, where + ": residual L2");

        const Index3 n = exchange_.block().extent(), lo = exchange_.block().lo;
        std::vector<T> mine(static_cast<std::size_t>(volume(n)));
        backend_.read_planes(exchange_.generation(), 0, n[2], mine.data());
        std::size_t i = 0, different = 0;
        for (Index z = 0; z < n[2]; ++z) {
            for (Index y = 0; y < n[1]; ++y, i += n[0]) {
                const T* row = reference_.values().data() + grid_.linear(lo[0], lo[1] + y, lo[2] + z);
                different += std::memcmp(mine.data() + i, row, n[0] * sizeof(T)) != 0;
            }
        }
        checks_.expect(different == 0, where + ": " + std::to_string(different) + " rows differ");

        std::uint64_t digest = backend_.digest(exchange_.generation());
        MPI_Allreduce(MPI_IN_PLACE, &digest, 1, MPI_UINT64_T, MPI_SUM, topology_.world.get());
        checks_.expect(digest == reference_.digest(), where + ": digest");
    }

 private:
    test::Checks& checks_;
    const Topology& topology_;
    Backend& backend_;
    HaloExchange& exchange_;
    Solver& solver_;
    Reference<T>& reference_;
    const Grid& grid_;
    std::string where_;
};

std::vector<Decomposition> decompositions(const Grid& grid, int ranks) {
    std::vector<Decomposition> list{decompose(grid.cells, grid.periodic, ranks)};
    for (int axis = 0; axis < 3; ++axis) {
        std::array<int, 3> p{1, 1, 1};
        p[axis] = ranks;
        if (grid.cells[axis] >= ranks && p != list[0].ranks) list.push_back({grid.cells, grid.periodic, p});
    }
    return list;
}

/// The ranks as they are, and as two pretended nodes (null where there are too few).
struct Machines {
    const Topology& real;
    const Topology* two_nodes;
};

/// How the halos of a run travel, how its ranks wait for them, and whether its passes do several sweeps.
struct Way {
    const Topology& topology;
    const char* transport;
    const Rung& rung;
    bool overlap, deep;
    std::string text() const {
        return std::string(rung.name) + (overlap ? " overlap" : "") +
               (topology.node_count > 1 ? ", two nodes" : std::string(", ") + transport);
    }
};

bool kernels_wait(const Rung& rung) { return std::string(rung.name) == "flag" || std::string(rung.name) == "persistent"; }

/// All rungs over shared memory; and of the rungs that can wait for messages, in turn, one with all edges as messages or with
/// edges of both kinds.
std::vector<Way> ways(const Machines& machines, const std::string& backend, bool without_waiting_kernels, bool nccl, int& turn) {
    std::vector<Way> list;
    std::vector<const Rung*> for_messages;
    for (const Rung& rung : rungs()) {
        if (*rung.backend != '\0' && rung.backend != backend) continue;
        if (!kernels_wait(rung)) for_messages.push_back(&rung);
        if (kernels_wait(rung) && without_waiting_kernels) continue;
        for (const auto& [overlap, deep] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}})
            list.push_back({machines.real, "auto", rung, overlap, deep});
    }
    if (machines.two_nodes == nullptr) return list;
    const Rung& rung = *for_messages[++turn / 2 % for_messages.size()];
    const bool overlap = turn / 6 % 2 == 0;
    for (const bool deep : {false, true}) {
        list.push_back(turn % 2 == 0 ? Way{machines.real, "mpi", rung, overlap, deep}
                                     : Way{*machines.two_nodes, "auto", rung, overlap, deep});
        if (nccl) list.push_back({machines.real, "nccl", rung, overlap, deep});
    }
    return list;
}

/// The transport of an edge between ranks that a way of running must have chosen.
bool as_asked(const Way& way, const Edge& e) {
    if (e.self()) return e.transport == "self";
    if (std::string(way.transport) != "auto") return e.transport == way.transport;
    return (e.transport == "mpi") != way.topology.same_node(e.rank, e.neighbour);
}

template <class T>
void run_case(test::Checks& checks, const Machines& machines, const Case& c, const std::string& backend_name, int one_in) {
    Config config;
    config.problem = c.problem;
    config.solver.iterations = sweeps;
    config.solver.precision = sizeof(T) == 8 ? Precision::float64 : Precision::float32;
    config.device.backend = backend_name;
    config.comm.timeout_s = 100;
    Reference<T> start(c.problem), middle = start, end = start;
    middle.advance(halfway);
    end.advance(sweeps);
    RunRecord machine;
    const DepthLimits limits = make_backend(machines.real, config, machine)->depth_limits({}, c.problem.has_rhs());
    const bool shared =
        std::any_of(machine.places.begin(), machine.places.end(), [](const RankPlace& p) { return p.sharers > 1; });
    const bool takes_turns = machine.backend == "cuda" && shared && !machine.multi_process_service;
    // Kernels that wait are slow where ranks take turns on a GPU: a few cases, forced, show that they are right.
    const bool without_waiting_kernels = takes_turns && c.name != "one wide random";
    // A communicator of NCCL takes about a second to make: one case has it.
    const bool nccl =
        machine.backend == "cuda" && !shared && message_transport("nccl") != nullptr && c.name == "9x39x12 periodic xyz random";
    static int turn = 0;
    int variant = 0;
    for (const Decomposition& plain : decompositions(c.problem.grid, checks.size())) {
        for (const Way& way : ways(machines, backend_name, without_waiting_kernels, nccl, turn)) {
            const Topology& topology = way.topology;
            const Decomposition d = arrange_by_node(plain, topology.node_of);
            const int thinnest = thinnest_block(d);
            const int deepest =
                std::min(std::string(way.rung.name) == "persistent" ? limits.most_persistent : limits.most, thinnest);
            if (way.deep && deepest < 2) continue;
            // Plain passes with 1 to 3 halo layers, and passes of 2 to 4 sweeps, in turn.
            const int depth = way.deep ? std::min(deepest, 2 + variant % 3) : 1;
            const int halo = std::min(thinnest, std::max(depth, 1 + variant % 3));
            // Threads only matter to the host back end: alternate.
            config.device.threads = 1 + variant++ % 3;
            // Rank counts differ in which ones they leave out.
            static int count = checks.size();
            if (count++ % one_in != 0) continue;
            const std::string where = c.name + (sizeof(T) == 8 ? " double " : " float ") + way.text() + " depth " +
                                      std::to_string(depth) + " of " + std::to_string(halo) + " on " +
                                      std::to_string(d.ranks[0]) + "x" + std::to_string(d.ranks[1]) + "x" +
                                      std::to_string(d.ranks[2]);
            checks.run(where, [&] {
                RunRecord record;
                const auto backend = make_backend(topology, config, record);
                ExchangeOptions options;
                options.transport = way.transport;
                options.sync = way.rung.name;
                options.overlap = way.overlap;
                options.temporal_depth = depth;
                options.halo_depth = halo;
                options.timeout_s = 100;
                options.force = true;
                for (const RankPlace& place : record.places)
                    options.device_sharers = std::max(options.device_sharers, place.sharers);
                HaloExchange exchange(topology, d, *backend, c.problem, config.solver.precision, options);
                for (const Edge& e : exchange.edges()) checks.expect(as_asked(way, e), where + ": an edge is " + e.transport);
                exchange.prepare();
                Solver solver(topology, exchange, *backend, config);
                const auto compare = [&](Reference<T>& reference, Index iteration) {
                    Comparison<T>(checks, topology, *backend, exchange, solver, reference, c.problem.grid, where).at(iteration);
                };
                compare(start, 0);
                exchange.advance(halfway);
                compare(middle, halfway);
                exchange.advance(1);
                exchange.advance(sweeps - halfway - 1);
                compare(end, sweeps);
                exchange.close();
            });
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int status = 0;
    {
        const std::string backend = argc > 1 ? argv[1] : "host";
        const int one_in = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
        test::Checks checks;
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        if (backend == "cuda" && visible_devices().devices.empty()) {
            if (checks.rank() == 0) std::printf("SKIPPED: no CUDA device (%s)\n", visible_devices().reason.c_str());
            status = 77;
        } else {
            std::optional<Topology> two_nodes;
            if (checks.size() > 1) two_nodes = discover_topology(MPI_COMM_WORLD, 2);
            const Machines machines{topology, two_nodes ? &*two_nodes : nullptr};
            for (const Case& c : cases(checks.size())) {
                run_case<double>(checks, machines, c, backend, one_in);
                run_case<float>(checks, machines, c, backend, one_in);
            }
            status = checks.finish("bits_test");
        }
    }
    MPI_Finalize();
    return status;
}
