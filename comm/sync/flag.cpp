// Rung `flag`: the kernels of a pass await and raise counters in each other's memory; the host only issues them.
#include "flag_links.hpp"
#include "rungs.hpp"

namespace jacobi {

namespace {

class FlagSync final : public KernelSync {
 public:
    using KernelSync::KernelSync;
    void advance(Generation g, Index passes, int depth) override {
        c_.backend.flagged_passes(g, passes, depth);
        c_.board.publish(g + passes);  // for error messages only
    }
    // On the host the boundary comes first, whatever comm.overlap is; on GPUs a pass is one launch.
    bool overlaps() const override { return c_.backend.name() == "host" && !c_.edges.empty() && c_.backend.boundary_apart(); }
    void await(Generation g) override { c_.backend.await_flags(g); }
};

}  // namespace

std::unique_ptr<Synchroniser> make_flag(const SyncContext& context) { return std::make_unique<FlagSync>(context); }

}  // namespace jacobi
