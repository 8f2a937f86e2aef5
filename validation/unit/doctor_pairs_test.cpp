// What the doctor makes of pairs of ranks, and how it shows them.
#include <set>
#include <utility>

#include "doctor_testing.hpp"
#include "output.hpp"
#include "pair_rounds.hpp"

namespace jacobi::doctor {
namespace {

TEST(DoctorAdvice, MemoryThatCannotBeOpened) {
    Examination e = healthy(3);
    for (PairResult& p : e.pairs) {
        p.memory = {"failed", (p.from == 1 ? "on rank 0: " : "") + std::string("cudaIpcOpenMemHandle: invalid device context")};
        p.event = p.data = p.flags = {};
    }
    Finding f = failure(e);
    EXPECT_SAYS(f.what, "cudaIpcOpenMemHandle: invalid device context (rank 0 -> 1, 0 -> 2, 1 -> 0") << "one cause, one finding";
    EXPECT_SAYS(f.means, "over comm.transport: mpi");
    EXPECT_SAYS(f.change, "topo -p2p r");
    for (PairResult& p : e.pairs) p.access = "not visible";
    EXPECT_SAYS(failure(e).change, "--gpu-bind=none");
    for (RankFacts& r : e.ranks) r.pid_namespace = "pid:[" + std::to_string(r.rank) + "]";
    std::set<std::string> subjects;
    for (const Finding& finding : advise(e)) {
        if (finding.severity != Severity::fail) continue;
        subjects.insert(finding.subject);
        EXPECT_SAYS(finding.change, "--pid=host");
    }
    EXPECT_EQ(subjects, (std::set<std::string>{"pairs", "shared memory"}));
}

TEST(DoctorAdvice, Slices) {
    Examination e = healthy(2);
    for (RankFacts& r : e.ranks) r.devices[0].mig = true;
    EXPECT_TRUE(full_function(advise(e))) << "what works is no failure";
    for (PairResult& p : e.pairs) p.memory = {"failed", "invalid argument"}, p.data = p.flags = p.event = {};
    int failures = 0;
    for (const Finding& f : advise(e)) {
        if (f.severity != Severity::fail) continue;
        ++failures;
        EXPECT_TRUE(contains(f.change, "MIG") || contains(f.change, "-mig 0")) << f.change;
    }
    EXPECT_EQ(failures, 2);
}

TEST(DoctorAdvice, DroppedWritesAndLostFlags) {
    Examination e = healthy(2);
    e.pairs[0].data = {"failed", "of what rank 0 stored, 8 of 8 words did not arrive at rank 1"};
    e.pairs[0].flags = e.pairs[1].flags = {"skipped", "stores do not arrive"};
    Finding f = failure(e);
    EXPECT_SAYS(f.what, "data does not arrive: of what rank 0 stored");
    EXPECT_SAYS(f.what, "(rank 0 -> 1)");
    EXPECT_SAYS(f.change, "ACS");
    e = healthy(2);
    for (PairResult& p : e.pairs) p.flags = {"failed", "flag 1 of rank 1 has not arrived at rank 0 within 5 s"};
    f = failure(e);
    EXPECT_SAYS(f.what, "flags do not: flag 1 of rank 1");
    EXPECT_SAYS(f.means, "flag, persistent and stream");
    e = healthy(2);
    for (PairResult& p : e.pairs) p.event = {"failed", "not supported"};
    EXPECT_SAYS(failure(e).means, "sync: event is refused");
}

TEST(DoctorAdvice, ASlowLinkIsNoted) {
    Examination e = healthy(4);
    e.pairs[5].store_gbs = 20;
    const Finding f = only(Severity::note, e);
    EXPECT_SAYS(f.what, "less than half of the usual 360 GB/s (rank 1 -> 3)");
}

TEST(DoctorOutput, Matrix) {
    Examination e = healthy(2);
    e.pairs[1].data = {"failed", "dropped"};
    e.pairs[1].flags = {};
    const std::string text = report_text(e, advise(e), false);
    EXPECT_SAYS(text, "kernel stores, GB/s\n               0       1\n       0       -   360.0\n       1    FAIL       -\n");
    EXPECT_SAYS(text, "flag one way, us\n               0       1\n       0       -    0.70\n       1       -       -\n");
    EXPECT_SAYS(text, "Verdict: FAIL (1 finding above");
    EXPECT_FALSE(contains(text, "\033"));
    EXPECT_SAYS(report_text(e, advise(e), true), "\033[31mFAIL");
    const auto document = nlohmann::json::parse(report_json(e, advise(e)));
    EXPECT_EQ(document["schema"], "jacobi-doctor/1");
    EXPECT_EQ(document["full_function"], false);
    EXPECT_EQ(document["pairs"][1]["data"]["state"], "failed");
}

TEST(DoctorPairs, EveryTwoMeetOnce) {
    for (int n = 0; n <= 17; ++n) {
        for (const bool alone : {false, true}) {
            std::set<std::pair<int, int>> met;
            const auto rounds = pair_rounds(n, alone);
            for (const PairRound& round : rounds) {
                std::set<int> busy;
                EXPECT_TRUE(!alone || round.size() == 1);
                for (const auto& [a, b] : round) {
                    EXPECT_TRUE(0 <= a && a < b && b < n);
                    EXPECT_TRUE(met.emplace(a, b).second);
                    EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second) << "one partner at a time";
                }
            }
            EXPECT_EQ(met.size(), static_cast<std::size_t>(n * (n - 1) / 2));
            if (!alone && n > 1) {
                EXPECT_EQ(rounds.size(), static_cast<std::size_t>(n - 1 + n % 2));
            }
        }
    }
}

}  // namespace
}  // namespace jacobi::doctor
