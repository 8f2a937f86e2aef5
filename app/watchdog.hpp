// How a run ends when it cannot go on: one message, and never a hang.
#pragma once

#include <condition_variable>
#include <functional>
#include <string>
#include <thread>

#include "error.hpp"

namespace jacobi {

/// The name in front of all messages, "jacobi" unless set: before any thread is started. Text that lasts.
void set_program_name(const char* name);

/// Ends the whole job with `status`: MPI_Abort, and this process on its own if that has not returned or ended it after ten
/// seconds. Before MPI_Init and after MPI_Finalize it ends this process alone.
[[noreturn]] void abort_job(int status);

/// The end of an error that reached main. A collective one (all ranks have it): rank 0 prints it, and the exit status is
/// returned, with which all ranks leave main as usual. One rank's: prints it with rank and host, and aborts the job.
int fail(const Error& error, int rank, const std::string& host);

/// Seconds within which ranks meet where no deck has said comm.timeout_s yet, or no longer does: five times its default.
inline constexpr double meeting_limit_s = 300;

/// Bounds a piece of work whose waits cannot be polled (input and output, set-up, verification): while the guard lives, a thread
/// sleeps until the limit; if it is reached, it prints who was doing what for how long and ends the job.
///     { Watchdog guard("writing the snapshot", 600, "rank 3 on node07"); write_snapshot(...); }
class Watchdog {
 public:
    /// `last_words` runs in the guard's thread before the message, while the other threads are stuck or about to go on: it
    /// touches nothing of theirs. The same holds for `suspects`, whose text ends the message.
    Watchdog(std::string what, double seconds, std::string where, std::function<void()> last_words = {},
             std::function<std::string()> suspects = {});
    ~Watchdog() = default;  // asks the thread to stop, and joins it
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

 private:
    std::jthread thread_;
};

}  // namespace jacobi
