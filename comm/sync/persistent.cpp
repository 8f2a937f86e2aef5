// Rung `persistent`: one kernel, or one job of the host's threads, runs a whole batch of passes.
#include "flag_links.hpp"
#include "rungs.hpp"

namespace jacobi {

namespace {

class PersistentSync final : public KernelSync {
 public:
    using KernelSync::KernelSync;
    void advance(Generation g, Index passes, int depth) override {
        c_.backend.persistent_passes(g, passes, depth);
        c_.board.publish(g + passes);  // for error messages only
    }
    void await(Generation g) override { c_.backend.await_tiles(g); }
};

}  // namespace

std::string refuse_persistent(const SyncContext& context) {
    if (context.messages != nullptr) return refuse_waiting_kernels(context);
    if (context.backend.tile_limits().count == 0)
        return "the device cannot launch kernels cooperatively, so nothing promises that all blocks of one run (use sync: flag)";
    // The right-hand side can only lessen what a back end offers, and persistent passes do not ask for more than one sweep by it.
    const int most = context.backend.depth_limits(context.layout.field.extent, false).most_persistent;
    if (context.temporal_depth > most) {
        return "passes do " + std::to_string(context.temporal_depth) + " sweeps, and persistent ones of this back end at most " +
               std::to_string(most) + " (set solver.temporal_depth: " + std::to_string(most) + ", or use sync: flag)";
    }
    return refuse_waiting_kernels(context);
}
std::unique_ptr<Synchroniser> make_persistent(const SyncContext& context) { return std::make_unique<PersistentSync>(context); }

}  // namespace jacobi
