// Rung `flag`: the kernels of a pass await and raise counters in each other's memory; the host only issues them.
#include "flag_links.hpp"
#include "rungs.hpp"

namespace jacobi {

namespace {

class FlagSync final : public Synchroniser {
 public:
    explicit FlagSync(const SyncContext& context) : Synchroniser(context) {}

    void start() override { c_.backend.use_flags(flag_links(c_, true)); }
    void advance(Generation g, Index passes, int depth) override {
        c_.backend.flagged_passes(g, passes, depth, c_.overlap);
        c_.board.publish(g + passes);  // for error messages only
    }
    void await(Generation g) override { c_.backend.await_flags(g); }
    void raise(Generation) override {}
    void check() override { require_no_flag_timeout(c_); }
};

}  // namespace

std::unique_ptr<Synchroniser> make_flag(const SyncContext& context) { return std::make_unique<FlagSync>(context); }

}  // namespace jacobi
