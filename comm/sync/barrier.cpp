// Rung `barrier`: the boundary's kernels finish, then an MPI barrier. The simplest thing that is right.
#include <fmt/format.h>

#include "processes.hpp"
#include "rungs.hpp"

namespace jacobi {

namespace {

class BarrierSync final : public Synchroniser {
 public:
    using Synchroniser::Synchroniser;

    void await(Generation g) override {
        // An MPI barrier orders hosts, not devices: this rank's own pass must have ended before it says so. With that, leaving
        // the barrier proves that every rank's stores of generation g are in place (read-after-write) and that every rank has
        // stopped reading generation g - 1 (write-after-read).
        wait_until([&] { return c_.backend.done(true); }, c_.timeout_s, c_.topology.poll,
                   [&] {
                       return fmt::format("rank {} ({}): the boundary kernels of pass {} did not end within {} s",
                                          c_.topology.rank(), c_.topology.host, g - 1, c_.timeout_s);
                   });
        c_.board.publish(g);
        c_.memory.fence();
        MPI_Request request;
        MPI_Ibarrier(c_.topology.world.get(), &request);
        wait_request(request, c_.timeout_s, c_.topology.poll, [&] { return late(g); });
        c_.memory.fence();
    }
    void raise(Generation) override {}  // entering the next await's barrier says it

 private:
    /// The first rank of this node that has not announced g, which is the one all others wait for.
    std::string late(Generation g) const {
        for (int r = 0; r < c_.topology.size(); ++r) {
            if (c_.board.covers(r) && c_.board.seen(r) < g) return c_.board.describe_wait(r, "any (barrier)", g, c_.timeout_s);
        }
        return fmt::format(
            "rank {} ({}): the barrier of generation {} did not complete within {} s; all ranks of this node have reached it{}",
            c_.topology.rank(), c_.topology.host, g, c_.timeout_s, silent_ranks(c_.topology));
    }
};

}  // namespace

std::unique_ptr<Synchroniser> make_barrier(const SyncContext& context) { return std::make_unique<BarrierSync>(context); }

}  // namespace jacobi
