// Thousands of exchanges with ranks out of step: random pauses in front of a rank's boundary, interior and batches, batches of
// random length, residual checks in between, on every rung of the host back end, through shared memory and as messages. A wait
// that is missing, or waits for too little, lets a late rank read halos of a wrong generation; the field then differs from the
// serial reference. Usage: stress_test [seed]
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>

#include "checks.hpp"
#include "halo_exchange.hpp"
#include "reference.hpp"

using namespace jacobi;

namespace {

/// Another back end with pauses in front of its work. The rungs see nothing of it.
class Dawdling final : public Backend {
 public:
    Dawdling(Backend& real, unsigned seed) : real_(real), random_(seed) {}

    /// Sleeps up to 0.3 ms, mostly not at all: neighbours get ahead by as much as the protocol lets them.
    void dawdle() {
        if (random_() % 8 == 0) usleep(random_() % 300);
    }

    std::string name() const override { return real_.name(); }
    std::string device_name() const override { return real_.device_name(); }
    void zero(void* target, std::size_t bytes) override { real_.zero(target, bytes); }
    void store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) override {
        real_.store_pattern(target, seed, words);
    }
    void read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) override {
        real_.read_words(host, source, words);
    }
    double copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) override {
        return real_.copy_bandwidth(a, b, bytes, seconds);
    }
    std::shared_ptr<std::byte> message_memory(std::size_t bytes, bool on_device) override {
        return real_.message_memory(bytes, on_device);
    }
    void store_halos(Generation g, const std::vector<PackedHalo>& halos) override {
        dawdle();
        real_.store_halos(g, halos);
    }
    double store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) override {
        return real_.store_bandwidth(to, rows, seconds);
    }
    FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds) override {
        return real_.flag_rounds(links, first, rounds);
    }
    bool launch_bound(const FieldLayout& layout) const override { return real_.launch_bound(layout); }
    void setup(const BlockSetup& setup) override { real_.setup(setup); }
    DepthLimits depth_limits(const Index3& extent, bool rhs) const override { return real_.depth_limits(extent, rhs); }
    void boundary(Generation g, int depth) override {
        dawdle();
        real_.boundary(g, depth);
        dawdle();  // before the raise
    }
    void interior(Generation g, int depth) override {
        dawdle();
        real_.interior(g, depth);
    }
    void whole(Generation g, int depth) override {
        dawdle();
        real_.whole(g, depth);
        dawdle();
    }
    void use_flags(const FlagLinks& links) override { real_.use_flags(links); }
    void flagged_passes(Generation g, Index passes, int depth, bool overlap) override {
        for (const Generation end = g + passes; g < end; ++g) {
            dawdle();
            real_.flagged_passes(g, 1, depth, overlap);
        }
    }
    void await_flags(Generation g) override { real_.await_flags(g); }
    int persistent_limit() const override { return real_.persistent_limit(); }
    bool tiles_stay(const TileGrid& tiles) const override { return real_.tiles_stay(tiles); }
    void persistent_passes(Generation g, Index passes, int depth) override {
        // Batches of its own on each rank: right where tiles do not stay on the chip, as on the host.
        for (const Generation end = g + passes; g < end;) {
            const Index some = std::min<Index>(end - g, 1 + static_cast<Index>(random_() % 5));
            dawdle();
            real_.persistent_passes(g, some, depth);
            g += some;
        }
    }
    void await_tiles(Generation g) override { real_.await_tiles(g); }
    std::optional<FlagTimeout> flag_timeout() override { return real_.flag_timeout(); }
    bool done(bool boundary_only) override { return real_.done(boundary_only); }
    double residual_max(Generation g) override {
        dawdle();
        return real_.residual_max(g);
    }
    FixedSum residual_square_sum(Generation g, const FixedScale& scale) override { return real_.residual_square_sum(g, scale); }
    std::uint64_t digest(Generation g) override { return real_.digest(g); }
    void read_planes(Generation g, Index z0, Index z1, void* host) override { real_.read_planes(g, z0, z1, host); }
    void write_planes(Generation g, Index z0, Index z1, const void* host) override { real_.write_planes(g, z0, z1, host); }
    PhaseTimes take_phase_times() override { return real_.take_phase_times(); }

 private:
    Backend& real_;
    std::mt19937 random_;
};

Problem stress_problem() {
    Problem p;
    p.grid.cells = {19, 16, 13};
    p.grid.periodic = {true, false, true};  // two ranks along an axis meet each other on both sides
    p.kind = ProblemKind::random;
    p.faces = {0, 0, 0.5, -0.25, 0, 0};
    return p;
}

void run_rung(test::Checks& checks, const Topology& topology, const std::string& transport, const Rung& rung, bool overlap,
              unsigned seed, Index sweeps, Reference<double>& reference) {
    const Problem problem = stress_problem();
    const std::string where = std::string(rung.name) + (overlap ? ", overlap, " : ", ") + transport + ", " +
                              std::to_string(topology.node_count) + " nodes";
    checks.run(where, [&] {
        const auto real = make_host_backend(Precision::float64, 1 + static_cast<int>(seed % 2));
        Dawdling backend(*real, seed * 977 + static_cast<unsigned>(checks.rank()));
        const Decomposition d = decompose(problem.grid.cells, problem.grid.periodic, checks.size());
        ExchangeOptions options;
        options.transport = transport;
        options.sync = rung.name;
        options.overlap = overlap;
        HaloExchange exchange(topology, d, backend, problem, Precision::float64, options);
        exchange.prepare();
        std::mt19937 batches(seed);  // the same on all ranks: they issue the same batches
        double largest = 0;
        while (exchange.iteration() < sweeps) {
            exchange.advance(std::min<Index>(sweeps - exchange.iteration(), 1 + static_cast<Index>(batches() % 23)));
            if (batches() % 3 == 0) {  // reads halos while neighbours may be on their way
                exchange.make_halos_readable();
                largest = std::max(largest, backend.residual_max(exchange.generation()));
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
        constexpr Index sweeps = 600;
        test::Checks checks;
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        const Topology two_nodes = discover_topology(MPI_COMM_WORLD, std::min(2, checks.size()));
        Reference<double> reference(stress_problem());
        reference.advance(sweeps);
        for (const Rung& rung : rungs()) {
            if (*rung.backend != '\0' && std::strcmp(rung.backend, "host") != 0) continue;
            const bool for_messages = std::strcmp(rung.name, "flag") != 0 && std::strcmp(rung.name, "persistent") != 0;
            for (const bool overlap : {false, true}) {
                run_rung(checks, topology, "auto", rung, overlap, seed, sweeps, reference);
                if (!for_messages || checks.size() == 1) continue;
                run_rung(checks, topology, "mpi", rung, overlap, seed, sweeps, reference);
                run_rung(checks, two_nodes, "auto", rung, overlap, seed, sweeps, reference);
            }
        }
        status = checks.finish("stress_test");
    }
    MPI_Finalize();
    return status;
}
