// A rank's threads: each job runs once on each of them, and its stores are seen when run() returns.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "error.hpp"
#include "host/thread_team.hpp"

namespace jacobi {
namespace {

class ThreadTeamOfSize : public testing::TestWithParam<int> {};

TEST_P(ThreadTeamOfSize, RunsThousandsOfJobsOnceOnEachThread) {
    host::ThreadTeam team(GetParam());
    ASSERT_EQ(team.size(), GetParam());
    std::vector<long> runs(static_cast<std::size_t>(team.size()), 0);  // plain on purpose: run() orders the stores
    for (long job = 1; job <= 5000; ++job) {
        team.run([&](int t) { ++runs.at(static_cast<std::size_t>(t)); });
        for (const long count : runs) ASSERT_EQ(count, job);
    }
}

TEST_P(ThreadTeamOfSize, LetsAJobReadWhatAllThreadsStoredInTheOneBefore) {
    host::ThreadTeam team(GetParam());
    const int n = team.size();
    std::vector<long> even(static_cast<std::size_t>(n), 0), odd = even;
    for (long job = 0; job < 2000; ++job) {
        const auto& from = job % 2 == 0 ? even : odd;
        auto& to = job % 2 == 0 ? odd : even;
        team.run([&](int t) {
            long sum = 0;
            for (const long value : from) sum += value;
            to[static_cast<std::size_t>(t)] = sum / n + 1;
        });
    }
    EXPECT_EQ(even, std::vector<long>(static_cast<std::size_t>(n), 2000));
}

TEST_P(ThreadTeamOfSize, KeepsTheCallerAsThreadZero) {
    host::ThreadTeam team(GetParam());
    std::vector<std::thread::id> ids(static_cast<std::size_t>(team.size()));
    team.run([&](int t) { ids[static_cast<std::size_t>(t)] = std::this_thread::get_id(); });
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    for (std::size_t t = 1; t < ids.size(); ++t) {
        for (std::size_t other = 0; other < t; ++other) EXPECT_NE(ids[t], ids[other]);
    }
}

TEST_P(ThreadTeamOfSize, WakesThreadsThatHaveGoneToSleep) {
    host::ThreadTeam team(GetParam());
    std::atomic<int> runs{0};
    for (int job = 0; job < 40; ++job) {
        std::this_thread::sleep_for(std::chrono::milliseconds(job % 4));  // from spinning to sound asleep
        team.run([&](int) { ++runs; });
    }
    EXPECT_EQ(runs, 40 * GetParam());
}

TEST_P(ThreadTeamOfSize, EndsWithOrWithoutWork) {
    for (int i = 0; i < 100; ++i) {
        host::ThreadTeam team(GetParam());
        int first = 0;
        if (i % 2 == 0)
            team.run([&](int t) {
                if (t == 0) ++first;
            });
        EXPECT_EQ(first, i % 2 == 0 ? 1 : 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadTeamOfSize, testing::Values(1, 2, 3, 4));

[[noreturn]] void start_more_threads_than_there_is_room_for() {
    const rlimit room{std::size_t{1} << 30, std::size_t{1} << 30};  // of addresses; a thread's stack takes 8 MiB of them
    setrlimit(RLIMIT_AS, &room);
    try {
        const host::ThreadTeam team(2000);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::_Exit(7);
    }
    std::_Exit(0);
}

TEST(ThreadTeam, SaysSoWhenThereAreNotEnoughThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers need more addresses than the test leaves";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(start_more_threads_than_there_is_room_for(), ::testing::ExitedWithCode(7),
                "^device.threads: 2000 threads cannot be started here, no more than [0-9]+ \\(.+\\): use fewer\n$");
}

}  // namespace
}  // namespace jacobi
