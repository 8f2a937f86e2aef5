#include "thread_team.hpp"

#include <fmt/format.h>

#include <system_error>

#include "error.hpp"
#include "float_mode.hpp"

namespace jacobi::host {

namespace {
constexpr int spins = 4096;  // a few microseconds
}

ThreadTeam::ThreadTeam(int threads) : size_(threads) {
    try {
        for (int t = 1; t < threads; ++t) helpers_.emplace_back([this, t] { work(t); });
    } catch (const std::system_error& error) {
        const auto running = helpers_.size() + 1;
        stop();  // those that are there would be waited for, and wait themselves
        throw Error(fmt::format("device.threads: {} threads cannot be started here, no more than {} ({}): use fewer", threads,
                                running, error.code().message()));
    }
}

ThreadTeam::~ThreadTeam() { stop(); }

void ThreadTeam::stop() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
}

void ThreadTeam::run(const std::function<void(int)>& job) {
    if (size_ > 1) {
        job_ = &job;
        running_.store(size_ - 1, std::memory_order_relaxed);
        {
            // The lock closes the gap between a helper's last look at started_ and its going to sleep.
            std::lock_guard lock(mutex_);
            started_.fetch_add(1, std::memory_order_release);  // publishes job_ and running_
        }
        wake_.notify_all();
    }
    job(0);
    for (int i = 0; running_.load(std::memory_order_acquire) != 0; ++i) {  // acquire: the helpers' stores are visible after it
        if (i > spins) std::this_thread::yield();
    }
}

void ThreadTeam::barrier() {
    const std::uint64_t current = barriers_.load(std::memory_order_acquire);
    if (waiting_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {  // the last one has seen all others' writes
        waiting_.store(0, std::memory_order_relaxed);
        barriers_.store(current + 1, std::memory_order_release);  // and hands them on
        return;
    }
    for (int i = 0; barriers_.load(std::memory_order_acquire) == current; ++i) {
        if (i > spins) std::this_thread::yield();
    }
}

void ThreadTeam::work(int thread) {
    require_ieee_float_mode();
    std::uint64_t seen = 0;
    for (;;) {
        for (int i = 0; i < spins && started_.load(std::memory_order_acquire) == seen && !stop_; ++i) {
        }
        if (started_.load(std::memory_order_acquire) == seen) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return started_.load(std::memory_order_acquire) != seen || stop_; });
        }
        if (stop_) return;
        ++seen;
        (*job_)(thread);
        running_.fetch_sub(1, std::memory_order_release);
    }
}

}  // namespace jacobi::host
