// Bounded waiting: every wait in the sweeps polls against a deadline and says what it waited for when it gives up.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <chrono>

#include "error.hpp"

namespace jacobi {

class Deadline {
 public:
    explicit Deadline(double seconds)
        : end_(std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds))) {}
    bool passed() const { return std::chrono::steady_clock::now() >= end_; }

 private:
    std::chrono::steady_clock::time_point end_;
};

/// How eagerly this process polls: with a core of its own it spins a while before it yields, else it yields at once.
struct PollPolicy {
    int spins = 0;
};

/// Polls done() until it is true; after `seconds` throws Error with describe()'s text.
template <class Done, class Describe>
void wait_until(Done&& done, double seconds, const PollPolicy& policy, Describe&& describe) {
    for (int i = 0; i < policy.spins; ++i) {
        if (done()) return;
    }
    if (done()) return;
    const Deadline deadline(seconds);
    for (;;) {
        for (int i = 0; i < 64; ++i) {
            if (done()) return;
            sched_yield();
        }
        if (deadline.passed()) throw Error(describe());
    }
}

/// Waits for an MPI request with the same bound. The request stays active when it throws: the caller aborts.
template <class Describe>
void wait_request(MPI_Request& request, double seconds, const PollPolicy& policy, Describe&& describe) {
    wait_until(
        [&] {
            int flag = 0;
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            return flag != 0;
        },
        seconds, policy, describe);
}

}  // namespace jacobi
