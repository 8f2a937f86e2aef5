#include "rungs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flag_links.hpp"

namespace jacobi {

namespace {
std::string never(const SyncContext&) { return {}; }

/// The reason of a run some of whose halos are messages. Where all of them are, no counter and no event has anything to do, and
/// the rung's summary would tell of what does not happen.
std::string reason_beside_messages(const std::string& asked, const RungChoice& choice, bool mapped) {
    if (!mapped && choice.rung->make != make_barrier) {
        const bool says_nothing = choice.reason == choice.rung->summary;
        return (says_nothing ? "" : choice.reason + "; ") +
               "all halos between ranks travel as messages, which announce themselves";
    }
    const bool said = asked != "auto" || choice.reason.find("messages") != std::string::npos;
    return choice.reason + (said ? "" : "; some halos travel as messages, which kernels cannot wait for");
}
/// Collective. All ranks choose alike: blocks are short for all or for none, and one rank's refusal is everybody's.
RungPreference preference(const SyncContext& c) {
    const bool neighbours = std::any_of(c.edges.begin(), c.edges.end(), [](const Edge& e) { return !e.self(); });
    int any[3] = {c.launch_bound ? 0 : 1, neighbours ? 1 : 0, c.messages != nullptr ? 1 : 0};
    MPI_Allreduce(MPI_IN_PLACE, any, 3, MPI_INT, MPI_MAX, c.topology.world.get());
    const bool tiles_wait = c.backend.name() == "cuda" && c.layout.field.halo == 1 && c.device_sharers == 1;
    return preferred_rung(any[0] == 0, tiles_wait && any[1] != 0 && any[2] == 0);
}
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

RungPreference preferred_rung(bool launch_bound, bool tiles_wait) {
    if (launch_bound) return {"persistent", "a pass is as short as a launch here, so one kernel runs a whole batch"};
    if (tiles_wait) return {"flag", "in passes of one sweep, tiles that wait for themselves hide the exchange best"};
    return {};
}

RungChoice pick_rung(const std::string& asked, const std::string& backend, const RungPreference& preferred,
                     const std::function<std::string(const Rung&)>& refusal) {
    std::vector<const Rung*> candidates;
    for (const Rung& rung : rungs()) {
        const bool fits = *rung.backend == '\0' || backend == rung.backend;
        if (fits && (asked == "auto" || asked == rung.name)) candidates.push_back(&rung);
    }
    if (asked == "auto")
        std::stable_partition(candidates.begin(), candidates.end(),
                              [&](const Rung* rung) { return rung->name == preferred.rung; });
    RungChoice choice;
    std::string refusals;
    for (const Rung* rung : candidates) {
        const std::string text = refusal(*rung);
        if (!text.empty()) {
            refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", rung->name, text);
            continue;
        }
        choice.rung = rung;
        choice.reason = asked == rung->name            ? "asked for"
                        : !refusals.empty()            ? refusals
                        : preferred.rung == rung->name ? preferred.reason
                                                       : rung->summary;
        return choice;
    }
    choice.reason = fmt::format("comm.sync: {} cannot be used with the {} back end here ({})", asked, backend,
                                refusals.empty() ? "it has no such rung" : refusals);
    return choice;
}

ChosenRung choose_rung(const std::string& asked, const SyncContext& context) {
    MPI_Comm world = context.topology.world.get();
    SyncContext examined = context;
    if (asked == "auto") examined.force = false;  // it is for a rung that is asked for
    const RungChoice choice = pick_rung(asked, context.backend.name(), preference(context), [&](const Rung& rung) {
        for (const std::string& text : gather_texts(world, rung.refusal(examined))) {
            if (!text.empty()) return text;
        }
        return std::string();
    });
    if (choice.rung == nullptr) throw Error(choice.reason, Exit::failure, true);
    std::string reason = choice.reason;
    if (context.messages != nullptr) {
        int mapped =
            std::any_of(context.edges.begin(), context.edges.end(), [](const Edge& e) { return e.mapped() && !e.self(); });
        MPI_Allreduce(MPI_IN_PLACE, &mapped, 1, MPI_INT, MPI_MAX, world);
        reason = reason_beside_messages(asked, choice, mapped != 0);
    }
    return {choice.rung->make(context), choice.rung->name, reason};
}

}  // namespace jacobi
