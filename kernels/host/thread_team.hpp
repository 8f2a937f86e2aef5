// A rank's threads: started once, parked between jobs, the caller is thread 0.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jacobi::host {

/// Runs one job at a time on all threads. Waiting threads spin for a few microseconds (a sweep's next phase is near), then sleep.
class ThreadTeam {
 public:
    /// Throws Error where the system does not give so many threads.
    explicit ThreadTeam(int threads);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    int size() const { return size_; }
    /// Inside a job: returns when all threads have called it; what they wrote before is visible after. Spins, then yields.
    void barrier();
    /// Calls job(thread) for 0 <= thread < size() and returns when all have returned. The job must not throw.
    void run(const std::function<void(int)>& job);

 private:
    void work(int thread);
    void stop();

    int size_;
    const std::function<void(int)>* job_ = nullptr;
    std::atomic<std::uint64_t> started_{0};  ///< jobs handed out
    std::atomic<int> running_{0};            ///< helpers not yet done with the current job
    std::atomic<bool> stop_{false};
    std::atomic<int> waiting_{0};             ///< at the barrier
    std::atomic<std::uint64_t> barriers_{0};  ///< completed
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<std::jthread> helpers_;
};

}  // namespace jacobi::host
