#include "pair_checks.hpp"

#include <fmt/format.h>

#include <sstream>

#include "problem.hpp"

namespace jacobi::doctor {
namespace {

const Outcome ok{"ok", ""};

enum class Way { store, copy };

/// Differs by writer, owner and way, so that what lands in a wrong place, or was there before, is seen.
std::uint64_t pattern(int writer, int owner, Way way) {
    return mix64(mix64(static_cast<std::uint64_t>(writer) << 32 | static_cast<std::uint32_t>(owner)) + static_cast<int>(way)) >>
           1;
}

/// The writer's part: returns GB/s, and in `verdict` what the owner found.
double write_data(PairMemory& memory, Talk& talk, Way way, std::string& verdict) {
    const std::uint64_t p = pattern(talk.self(), talk.partner(), way);
    talk.meet();  // cleared
    const double gbs = way == Way::store ? memory.store(p, talk) : memory.copy(p, talk);
    talk.meet();  // written
    verdict = talk.meet();
    return gbs;
}

/// The owner's part; returns what it tells the writer: nothing when all is there.
std::string find_data(PairMemory& memory, Talk& talk, Way way) {
    memory.clear(talk);
    talk.meet();
    talk.meet();
    const std::uint64_t wrong = memory.wrong_words(pattern(talk.partner(), talk.self(), way), talk);
    std::string verdict;
    if (wrong > 0) {
        verdict = fmt::format("of what rank {} {}, {} of {} words did not arrive at rank {}", talk.partner(),
                              way == Way::store ? "stored" : "copied", wrong, memory.words(), talk.self());
    }
    talk.meet(verdict);
    return verdict;
}

/// Each writes in turn. Returns whether everything arrived, both ways.
bool move_data(PairMemory& memory, Talk& talk, PairResult& result) {
    bool arrived = true;
    for (const bool leader_writes : {true, false}) {
        for (const Way way : {Way::store, Way::copy}) {
            std::string verdict;
            if (talk.leads() == leader_writes) {
                (way == Way::store ? result.store_gbs : result.copy_gbs) = write_data(memory, talk, way, verdict);
                if (!verdict.empty() && result.data.detail.empty()) result.data = {"failed", verdict};
            } else {
                verdict = find_data(memory, talk, way);
            }
            arrived = arrived && verdict.empty();
        }
    }
    if (!result.data.failed()) result.data = ok;
    return arrived;
}

void check_steps(PairMemory& memory, int node_rank, Talk& talk, PairResult& result, Outcome*& stage) {
    stage = &result.memory;
    memory.connect(node_rank, talk, result);
    talk.meet();
    result.memory = ok;
    stage = &result.data;
    const bool arrived = move_data(memory, talk, result);
    if (!arrived) {
        result.flags.detail = "stores do not arrive";
        return;
    }
    stage = &result.flags;
    talk.meet();
    const FlagTimes times = memory.exchange_flags(talk);
    // Only the leader has a clock on it.
    const std::string mine = fmt::format("{} {}", times.round_trips, times.microseconds_one_way);
    const std::string theirs = talk.meet(mine);
    std::istringstream(talk.leads() ? mine : theirs) >> result.round_trips >> result.flag_us;
    result.flags = ok;
}

}  // namespace

PairResult check_pair(PairMemory& memory, int node_rank, Talk& talk) {
    PairResult result;
    result.from = talk.self();
    result.to = talk.partner();
    result.transport = memory.transport();
    Outcome* stage = &result.memory;
    try {
        check_steps(memory, node_rank, talk, result, stage);
    } catch (const PartnerFailed& error) {
        *stage = {"failed", error.what()};
    } catch (const std::exception& error) {
        *stage = {"failed", error.what()};
        talk.fail(error.what());  // or the partner would wait for this rank
    }
    return result;
}

}  // namespace jacobi::doctor
