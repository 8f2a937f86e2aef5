#include "flags.hpp"

#include <sched.h>

#include <chrono>

namespace jacobi::host {

namespace {
using Words = std::atomic_ref<std::uint64_t>;
static_assert(Words::is_always_lock_free, "a lock would be private to each process");

Words word(const void* p) { return Words(*static_cast<std::uint64_t*>(const_cast<void*>(p))); }

/// Generations of g's parity among 1, ..., g.
std::uint64_t rounds(Generation g) { return static_cast<std::uint64_t>((g + 1) / 2); }
}  // namespace

template <class Seen>
bool Flags::spin(Direction direction, Generation g, std::uint64_t target, Seen&& seen) {
    using Clock = std::chrono::steady_clock;
    for (int i = 0; i < 256; ++i) {
        if (seen() >= target) return true;
    }
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(links_.timeout_s));
    for (;;) {
        for (int i = 0; i < 64; ++i) {
            if (seen() >= target) return true;
            sched_yield();
        }
        if (failed_.load(std::memory_order_relaxed)) return false;
        if (Clock::now() < deadline) continue;
        if (!failed_.exchange(true)) {
            timeout_ = {direction, g, g - 1};
            recorded_.store(true, std::memory_order_release);
        }
        return false;
    }
}

bool Flags::await(Generation g) {
    for (const auto& link : links_.links) {
        const auto seen = [&link] { return word(link.own).load(std::memory_order_acquire); };
        if (!spin(link.direction, g, static_cast<std::uint64_t>(g), seen)) return false;
    }
    return true;
}

void Flags::raise(Generation g) {
    for (const auto& link : links_.links) word(link.there).store(static_cast<std::uint64_t>(g), std::memory_order_release);
}

bool Flags::await_arrivals(Generation g) {
    for (const auto& link : links_.links) {
        const auto seen = [&] { return word(link.own_arrivals[g & 1]).load(std::memory_order_acquire); };
        if (!spin(link.direction, g, rounds(g) * static_cast<std::uint64_t>(link.neighbour_tiles), seen)) return false;
    }
    return true;
}

void Flags::raise_arrivals(Generation g) {
    for (const auto& link : links_.links) word(link.there_arrivals[g & 1]).fetch_add(1, std::memory_order_release);
}

std::optional<FlagTimeout> Flags::timeout() const {
    if (!recorded_.load(std::memory_order_acquire)) return std::nullopt;
    return timeout_;
}

}  // namespace jacobi::host
