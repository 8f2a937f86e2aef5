// Rungs `event` and `stream` on the host: counters in shared memory, one a direction, that the host raises and awaits; waiting
// ranks sleep in the one and spin, then yield, in the other.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "rungs.hpp"

namespace jacobi {

namespace {

using Counter = std::atomic_ref<Generation>;
static_assert(Counter::is_always_lock_free, "a lock would be private to each process");

/// The counter's low half as the kernel's futex word (little endian). Not FUTEX_PRIVATE: the sleepers are other processes, which
/// is also why std::atomic::wait is of no use here.
void* futex_word(std::byte* counter) { return counter; }

void wake(std::byte* counter) { syscall(SYS_futex, futex_word(counter), FUTEX_WAKE, 1, nullptr, nullptr, 0); }
void sleep_while(std::byte* counter, Generation seen) {
    const timespec limit{0, 50'000'000};  // wakes now and then to look at the deadline
    syscall(SYS_futex, futex_word(counter), FUTEX_WAIT, static_cast<std::uint32_t>(seen), &limit, nullptr, 0);
}

class HostCounterSync final : public Synchroniser {
 public:
    HostCounterSync(const SyncContext& context, bool sleeps) : Synchroniser(context), sleeps_(sleeps) {}

    void await(Generation g) override {
        c_.memory.fence();
        for (const Edge& e : c_.edges) {
            if (e.mapped() && !e.self()) await_counter(e, g);
        }
        c_.memory.fence();
    }

    void raise(Generation g) override {
        c_.memory.fence();
        for (const Edge& e : c_.edges) {
            if (e.self() || !e.mapped()) continue;  // program order; a message says it itself
            std::byte* counter = e.peer + ArenaLayout::counter(e.direction.opposite());
            // Release: this rank's stores into that neighbour, and its reads of generation g - 1, come before. The back end's
            // threads have joined, each with its streaming stores fenced.
            Counter(*reinterpret_cast<Generation*>(counter)).store(g, std::memory_order_release);
            if (sleeps_) wake(counter);
        }
        c_.board.publish(g);  // for error messages only, so last: nobody is seen further than its neighbours can tell
    }

 private:
    void await_counter(const Edge& e, Generation g) {
        std::byte* counter = c_.memory.own() + ArenaLayout::counter(e.direction);
        // Acquire: the neighbour's halo stores before its raise are visible after. >=: it may be one generation ahead.
        const auto value = [&] { return Counter(*reinterpret_cast<Generation*>(counter)).load(std::memory_order_acquire); };
        for (int i = 0; i < c_.topology.poll.spins; ++i) {
            if (value() >= g) return;
        }
        if (!sleeps_) {
            wait_until([&] { return value() >= g; }, c_.timeout_s, c_.topology.poll,
                       [&] { return c_.board.describe_wait(e.neighbour, name(e.direction), g, c_.timeout_s); });
            return;
        }
        const Deadline deadline(c_.timeout_s);
        for (Generation seen = value(); seen < g; seen = value()) {
            sleep_while(counter, seen);
            if (deadline.passed() && value() < g)
                throw Error(c_.board.describe_wait(e.neighbour, name(e.direction), g, c_.timeout_s));
        }
    }

    bool sleeps_;
};

}  // namespace

std::unique_ptr<Synchroniser> make_event_host(const SyncContext& context) {
    return std::make_unique<HostCounterSync>(context, true);
}
std::unique_ptr<Synchroniser> make_stream_host(const SyncContext& context) {
    return std::make_unique<HostCounterSync>(context, false);
}

}  // namespace jacobi
