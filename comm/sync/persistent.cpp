// Rung `persistent`: one kernel, or one job of the host's threads, runs a whole batch of passes.
#include "flag_links.hpp"
#include "rungs.hpp"

namespace jacobi {

namespace {

class PersistentSync final : public Synchroniser {
 public:
    explicit PersistentSync(const SyncContext& context) : Synchroniser(context) {}

    void start() override { c_.backend.use_flags(flag_links(c_, true)); }
    void advance(Generation g, Index passes, int depth) override {
        c_.backend.persistent_passes(g, passes, depth);
        c_.board.publish(g + passes);  // for error messages only
    }
    void await(Generation g) override { c_.backend.await_tiles(g); }
    void raise(Generation) override {}
    void check() override { require_no_flag_timeout(c_); }
};

}  // namespace

std::unique_ptr<Synchroniser> make_persistent(const SyncContext& context) { return std::make_unique<PersistentSync>(context); }

}  // namespace jacobi
