// Pairs through an MPI-3 shared window: the host back end's transport `shm`.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "faults.hpp"
#include "host/rates.hpp"
#include "pair_memory.hpp"

namespace jacobi::doctor {
namespace {

using Clock = std::chrono::steady_clock;
using Flag = std::atomic_ref<std::int64_t>;
static_assert(Flag::is_always_lock_free, "a lock would be private to each process");

constexpr std::size_t data_bytes = std::size_t{1}
                                   << 20;  // a face of 362 x 362 cells; small, for containers' 64 MiB of shared memory
constexpr double enough_s = 0.02;          // of measuring one thing

std::size_t flag_bytes(int node_ranks) { return (static_cast<std::size_t>(node_ranks) * flag_line + 4095) / 4096 * 4096; }

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class HostMemory final : public PairMemory {
 public:
    HostMemory(const SharedWindow& window, int node_rank, int node_ranks, int spins)
        : window_(window),
          node_rank_(node_rank),
          flags_(flag_bytes(node_ranks)),
          spins_(spins),
          source_(data_bytes / sizeof(std::uint64_t)),
          own_(window.base(node_rank)) {}

    const char* transport() const override { return "shm"; }
    std::uint64_t words() const override { return source_.size(); }

    void connect(int node_rank, const Talk& talk, PairResult& result) override {
        if (injected("no_ipc", talk.self())) throw Error("opening refused (injected fault)");
        there_ = flag_there_ = window_.base(node_rank);
        if (injected("drop_writes", talk.self())) there_ = flag_there_ = nowhere();
        if (injected("drop_flags", talk.self())) flag_there_ = nowhere();
        flag_there_ += flag_line * node_rank_;
        flag_here_ = own_ + flag_line * node_rank;
        result.event.detail = "CUDA only";
    }

    void clear(const Talk&) override {
        std::memset(own_ + flags_, 0xff, data_bytes);
        window_.sync();
    }

    double store(std::uint64_t pattern, const Talk&) override {
        return fastest([&] { host::store_rows(there_ + flags_, {data_bytes, {1, 1}, {0, 0}}, pattern); });
    }

    double copy(std::uint64_t pattern, const Talk&) override {
        for (std::size_t i = 0; i < words(); ++i) source_[i] = pattern + i;
        return fastest([&] { std::memcpy(there_ + flags_, source_.data(), data_bytes); });
    }

    std::uint64_t wrong_words(std::uint64_t pattern, const Talk&) override {
        window_.sync();
        const auto* const data = reinterpret_cast<const std::uint64_t*>(own_ + flags_);
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < words(); ++i) wrong += data[i] != pattern + i ? 1 : 0;
        return wrong;
    }

    FlagTimes exchange_flags(const Talk& talk) override {
        std::int64_t seen = 0;
        if (!talk.leads()) {
            while (seen < last_flag) raise(seen = await(seen + 1, talk));
            return {};
        }
        raise(1);
        await(1, talk);  // both are here: the clock starts
        std::int64_t flag = 1;
        const auto begin = Clock::now();
        do {
            raise(++flag);
            await(flag, talk);
        } while (flag <= 2000 && seconds_since(begin) < enough_s);
        const double seconds = seconds_since(begin);
        raise(last_flag);
        await(last_flag, talk);
        const int trips = static_cast<int>(flag - 1);
        return {trips, seconds / trips / 2 * 1e6};
    }

 private:
    template <class Work>
    double fastest(Work&& work) {
        double best = 1e30;
        const auto begin = Clock::now();
        for (int i = 0; i < 3 || (i < 50 && seconds_since(begin) < enough_s); ++i) {
            const auto start = Clock::now();
            work();
            asm volatile("" ::: "memory");  // or the compiler would drop all repetitions but one
            best = std::min(best, seconds_since(start));
        }
        window_.sync();
        return data_bytes / best * 1e-9;
    }

    /// Where dropped writes go.
    std::byte* nowhere() {
        nowhere_.resize(flags_ + data_bytes);
        return nowhere_.data();
    }

    void raise(std::int64_t flag) { Flag(*reinterpret_cast<std::int64_t*>(flag_there_)).store(flag, std::memory_order_release); }

    /// The flag, once it is `least` or more.
    std::int64_t await(std::int64_t least, const Talk& talk) {
        const Flag flag(*reinterpret_cast<std::int64_t*>(flag_here_));
        const double seconds = talk.seconds() / 4;
        const Deadline deadline(seconds);
        for (int i = 0;; ++i) {
            const std::int64_t seen = flag.load(std::memory_order_acquire);
            if (seen >= abandoned_flag) throw Error(fmt::format("rank {} gave up waiting for a flag", talk.partner()));
            if (seen >= least) return seen;
            if (i < spins_) continue;
            sched_yield();
            if (i % 64 != 0 || !deadline.passed()) continue;
            raise(abandoned_flag);
            throw Error(fmt::format("flag {} of rank {} has not arrived at rank {} within {:g} s", least, talk.partner(),
                                    talk.self(), talk.seconds()));
        }
    }

    const SharedWindow& window_;
    int node_rank_;
    std::size_t flags_;
    int spins_;
    std::vector<std::uint64_t> source_;
    std::vector<std::byte> nowhere_;
    std::byte* own_;
    std::byte* there_ = nullptr;
    std::byte* flag_there_ = nullptr;
    std::byte* flag_here_ = nullptr;
};

}  // namespace

std::size_t host_window_bytes(int node_ranks) { return flag_bytes(node_ranks) + data_bytes; }

std::unique_ptr<PairMemory> make_host_memory(const SharedWindow& window, int node_rank, int node_ranks, int spins) {
    return std::make_unique<HostMemory>(window, node_rank, node_ranks, spins);
}

}  // namespace jacobi::doctor
