#include "flags.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace jacobi::host {

namespace {
using Word = std::atomic_ref<Generation>;
static_assert(Word::is_always_lock_free, "a lock would be private to each process");
}  // namespace

bool Flags::await(const FlagLinks::Link& link, Generation g) {
    using Clock = std::chrono::steady_clock;
    const auto seen = [&link] { return Word(*const_cast<Generation*>(link.own)).load(std::memory_order_acquire); };
    for (int i = 0; i < 256; ++i) {
        if (seen() >= g) return true;
    }
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(links_.timeout_s));
    for (;;) {
        for (int i = 0; i < 64; ++i) {
            if (seen() >= g) return true;
            sched_yield();
        }
        if (failed_.load(std::memory_order_relaxed)) return false;
        if (Clock::now() < deadline) continue;
        if (!failed_.exchange(true)) {
            timeout_ = {link.direction, g, seen()};
            recorded_.store(true, std::memory_order_release);
        }
        return false;
    }
}

bool Flags::await(Generation g) {
    return std::all_of(links_.links.begin(), links_.links.end(), [&](const auto& link) { return await(link, g); });
}
void Flags::raise(Generation g) {
    for (const auto& link : links_.links) Word(*link.there).store(g, std::memory_order_release);
}

std::optional<FlagTimeout> Flags::timeout() const {
    if (!recorded_.load(std::memory_order_acquire)) return std::nullopt;
    return timeout_;
}

FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds) {
    using Clock = std::chrono::steady_clock;
    Flags flags;
    flags.use(links);
    auto begin = Clock::now();
    for (Generation g = first + 1; g <= first + rounds; ++g) {
        flags.raise(g);
        if (!flags.await(g)) return {0, flags.timeout()};
        if (g == first + 1) begin = Clock::now();  // everybody is here
    }
    return {std::chrono::duration<double>(Clock::now() - begin).count() / std::max(1, rounds - 1), std::nullopt};
}

}  // namespace jacobi::host
