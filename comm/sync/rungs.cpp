#include "rungs.hpp"

#include <fmt/format.h>

#include "flag_links.hpp"

namespace jacobi {

namespace {
std::string never(const SyncContext&) { return {}; }
}  // namespace

const std::vector<Rung>& rungs() {
    static const std::vector<Rung> table {
        {"event", "host", "a shared-memory counter a direction; waiting ranks sleep", never, make_event_host},
#if defined(JACOBI_WITH_CUDA)
            {"event", "cuda", "CUDA IPC events; the GPU never waits for its host", refuse_event_cuda, make_event_cuda},
            {"stream", "cuda", "stream memory operations on counters in peer memory; the host only enqueues", refuse_stream_cuda,
             make_stream_cuda},
#endif
            {"stream", "host", "the same counters; waiting ranks spin, then yield", never, make_stream_host},
            {"flag", "", "counters awaited and raised inside the kernels", refuse_waiting_kernels, make_flag},
            {"persistent", "", "one kernel runs a whole batch", refuse_persistent, make_persistent},
            {"barrier", "", "boundary done, then an MPI barrier", never, make_barrier},
    };
    return table;
}

ChosenRung choose_rung(const std::string& asked, const SyncContext& context) {
    std::string refusals;
    for (const Rung& rung : rungs()) {
        const bool fits = *rung.backend == '\0' || context.backend.name() == rung.backend;
        if (!fits || (asked != "auto" && asked != rung.name)) continue;
        std::string refusal;
        for (const std::string& text : gather_texts(context.topology.world.get(), rung.refusal(context))) {
            if (refusal.empty()) refusal = text;
        }
        if (refusal.empty()) {
            std::string why = asked == rung.name ? "asked for" : refusals.empty() ? rung.summary : refusals;
            if (asked == "auto" && context.messages != nullptr)
                why += "; some halos travel as messages, which kernels cannot wait for";
            return {rung.make(context), rung.name, why};
        }
        refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", rung.name, refusal);
    }
    throw Error(fmt::format("comm.sync: {} cannot be used with the {} back end here ({})", asked, context.backend.name(),
                            refusals.empty() ? "it has no such rung" : refusals),
                Exit::failure, true);
}

}  // namespace jacobi
