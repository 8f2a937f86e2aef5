#include "watchdog.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <mutex>
#include <string_view>
#include <utility>

namespace jacobi {
namespace {

const char* program = "jacobi";

/// One write for the whole message, so that those of several ranks do not mix; no lock that the stuck thread might hold.
void print_error(const std::string& message) {
    const std::string text = fmt::format("{}: {}\n", program, message);
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

bool mpi_is_up() {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
}

volatile std::sig_atomic_t exit_status = 1;

/// The calling thread is not the one that uses MPI: only MPI_THREAD_MULTIPLE lets it call MPI_Abort. Otherwise the process
/// leaves without MPI_Finalize, which launchers take for a failure and end the other ranks.
[[noreturn]] void expire(const std::string& message) {
    print_error(message);
    int level = MPI_THREAD_SINGLE;
    if (mpi_is_up()) MPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) abort_job(static_cast<int>(Exit::failure));
    _exit(static_cast<int>(Exit::failure));
}

/// Signals are for the threads that were there before: the new thread inherits a mask that blocks them all.
template <class Work>
std::jthread start_without_signals(Work work) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::jthread thread(std::move(work));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace

void set_program_name(const char* name) { program = name; }

void abort_job(int status) {
    exit_status = status;
    std::signal(SIGALRM, [](int) { _exit(exit_status); });
    sigset_t alarm_signal;
    sigemptyset(&alarm_signal);
    sigaddset(&alarm_signal, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_signal, nullptr);
    alarm(10);
    if (mpi_is_up()) MPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

int fail(const Error& error, int rank, const std::string& host) {
    const int status = static_cast<int>(error.exit());
    if (error.collective()) {
        if (rank == 0) print_error(error.what());
        return status;
    }
    print_error(fmt::format("rank {} on {}: {}", rank, host, error.what()));
    abort_job(status);
}

Watchdog::Watchdog(std::string what, double seconds, std::string where, std::function<void()> last_words,
                   std::function<std::string()> suspects) {
    const std::string message = fmt::format(
        "{}: {} has not ended within its limit of {:g} s, so the run ends here; what this rank waits for (another rank, a file "
        "system, a device) does not answer",
        where, what, seconds);
    const std::chrono::duration<double> limit(std::min(seconds, 1e9));  // a clock of nanoseconds holds no more than 292 years
    thread_ = start_without_signals(
        [message, limit, last_words = std::move(last_words), suspects = std::move(suspects)](const std::stop_token& stop) {
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            never.wait_for(lock, stop, limit, [] { return false; });
            if (stop.stop_requested()) return;
            if (last_words) last_words();
            expire(message + (suspects ? suspects() : ""));
        });
}

}  // namespace jacobi
