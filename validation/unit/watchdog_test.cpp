#include "watchdog.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace jacobi {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ExitedWithCode;

TEST(Watchdog, EndsTheProcessThatIsStuck) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const Watchdog guard("writing the snapshot", 0.05, "rank 3 on node07");
            std::this_thread::sleep_for(std::chrono::seconds(20));
        },
        ExitedWithCode(1), "jacobi: rank 3 on node07: writing the snapshot has not ended within its limit of 0.05 s");
}

TEST(Watchdog, LeavesAloneWhatEndsInTime) {
    const auto begin = steady_clock::now();
    for (int i = 0; i < 100; ++i) {
        const Watchdog outer("set-up", 1e300, "rank 0 on node07");
        const Watchdog inner("output", 60, "rank 0 on node07");
    }
    EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10)) << "the end of a guard wakes its thread";
    { const Watchdog guard("output", 0.2, "rank 0 on node07"); }
    std::this_thread::sleep_for(milliseconds(400));  // past the limit of a guard that is gone
}

/// Exits with 0 when this thread handles a signal although a guard's thread is there.
[[noreturn]] void be_signalled() {
    static volatile std::sig_atomic_t in_this_thread = 0;
    static const auto self = pthread_self();
    std::signal(SIGUSR1, [](int) { in_this_thread = pthread_equal(pthread_self(), self); });
    sigset_t usr1, before;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    const Watchdog guard("output", 60, "rank 0 on node07");
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    kill(getpid(), SIGUSR1);  // were it not blocked in the guard's thread, it would be handled there now
    std::this_thread::sleep_for(milliseconds(50));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::_Exit(in_this_thread == 1 ? 0 : 1);
}

TEST(Watchdog, LeavesSignalsToTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: here threads that other tests have left take signals, too
    EXPECT_EXIT(be_signalled(), ExitedWithCode(0), "");
}

TEST(Fail, OneMessageAndTheStatus) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(fail(Error("no such grid", Exit::usage, true), 0, "node07"), 2);
    EXPECT_EQ(fail(Error("no such grid", Exit::usage, true), 1, "node07"), 2);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "jacobi: no such grid\n") << "rank 0 alone speaks for all";
}

TEST(Fail, OneRanksErrorEndsTheJob) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(fail(Error("out of memory"), 5, "node07"), ExitedWithCode(1), "^jacobi: rank 5 on node07: out of memory\n$");
}

}  // namespace
}  // namespace jacobi
