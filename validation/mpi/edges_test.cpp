// Which transport an edge gets when memory cannot be mapped: both ends fall back to messages alike and say why, or all ranks
// refuse alike.
#include <algorithm>

#include "backend.hpp"
#include "checks.hpp"
#include "edges.hpp"

using namespace jacobi;

namespace {

/// The ranks' shared window, with faults.
class Faulty final : public PeerMemory {
 public:
    Faulty(PeerMemory& real, bool opens, bool honest) : real_(real), opens_(opens), honest_(honest) {}
    const char* transport() const override { return real_.transport(); }
    std::byte* own() const override { return real_.own(); }
    PeerRecord record() const override {
        PeerRecord record = real_.record();
        if (!honest_) ++record.extent[1];
        return record;
    }
    std::byte* open(int node_rank, const PeerRecord& record) override {
        if (!opens_) throw Error("the handle does not open");
        return real_.open(node_rank, record);
    }
    void fence() const override { real_.fence(); }
    void close_peers() override { real_.close_peers(); }
    void free() override { real_.free(); }

 private:
    PeerMemory& real_;
    bool opens_, honest_;
};

class Fixture {
 public:
    Fixture(test::Checks& checks, const Topology& topology)
        : checks_(checks),
          topology_(topology),
          d_{{6, 5, 4 * Index{checks.size()}}, {false, false, true}, {1, 1, checks.size()}},
          layout_(FieldLayout(d_.block(topology.rank()).extent(), 1, sizeof(double))),
          backend_(make_host_backend(Precision::float64, 1)),
          memory_(make_shared_window(topology, layout_)) {
        backend_->zero(memory_->own(), ArenaLayout::header_bytes);
    }
    std::vector<Edge> connect(bool opens, bool honest, const std::string& forced) {
        Faulty memory(*memory_, opens, honest);
        return connect_edges(topology_, d_, layout_, memory, *backend_, forced);
    }
    void close() {
        memory_->close_peers();
        MPI_Barrier(topology_.world.get());
        memory_->free();
    }

    void expect_reason(const Edge& e, const std::string& transport, const std::string& reason) {
        checks_.expect(e.transport == transport, fmt::format("{} to {}: {}", name(e.direction), e.neighbour, e.transport));
        checks_.expect(e.reason.find(reason) != std::string::npos, name(e.direction) + ": " + e.reason);
        checks_.expect(e.message() != e.mapped() && e.message() == (transport == "mpi"), name(e.direction) + ": its address");
        checks_.expect(e.bytes == 6 * 5 * sizeof(double), name(e.direction) + ": bytes");
    }

 private:
    test::Checks& checks_;
    const Topology& topology_;
    Decomposition d_;
    ArenaLayout layout_;
    std::unique_ptr<Backend> backend_;
    std::unique_ptr<PeerMemory> memory_;
};

}  // namespace

int main(int argc, char** argv) {
    int provided = 0, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    {
        test::Checks checks;
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        Fixture fixture(checks, topology);
        const int rank = checks.rank();
        checks.run("sound memory", [&] {
            for (const Edge& e : fixture.connect(true, true, "auto")) fixture.expect_reason(e, "shm", "opened and probed");
        });
        checks.run("rank 0 opens nothing", [&] {
            for (const Edge& e : fixture.connect(rank != 0, true, "auto")) {
                if (rank == 0) {
                    fixture.expect_reason(e, "mpi", "the handle does not open");
                } else if (e.neighbour == 0) {
                    fixture.expect_reason(e, "mpi", "the neighbour could not open this rank's memory");
                } else {
                    fixture.expect_reason(e, "shm", "opened and probed");
                }
            }
        });
        checks.run("messages by force need no handles", [&] {
            for (const Edge& e : fixture.connect(false, true, "mpi")) fixture.expect_reason(e, "mpi", "asked for");
        });
        checks.expect_error("memory by force", Exit::failure, {"no transport for", "rank 0 ", "the handle does not open"},
                            [&] { (void)fixture.connect(rank != 0, true, "shm"); });
        for (const char* forced : {"auto", "mpi"}) {
            checks.expect_error(std::string("another block than expected, ") + forced, Exit::failure,
                                {"no transport for", "-> rank 0 "}, [&] { (void)fixture.connect(true, rank != 0, forced); });
        }
        fixture.close();
        status = checks.finish("edges_test");
    }
    MPI_Finalize();
    return status;
}
