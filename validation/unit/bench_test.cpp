// Parts of bench: which configurations there are, what is compared, what the table says.
#include <gtest/gtest.h>

#include <algorithm>

#include "digests.hpp"
#include "machine.hpp"
#include "plan.hpp"
#include "report_testing.hpp"
#include "table_json.hpp"
#include "table_text.hpp"

namespace jacobi::bench {
namespace {

BenchOptions parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "bench");
    return std::get<BenchOptions>(parse_bench_options(static_cast<int>(arguments.size()), arguments.data(), "bench 1.2.3"));
}

std::vector<Case> planned(std::vector<const char*> arguments, int ranks = 1, const std::string& backend = "host") {
    return plan(parse(std::move(arguments)), backend, ranks, build_support());
}

Case a_case() { return {{4, 5, 6}, ProblemKind::random, Precision::float64, 2, "shm", "flag"}; }

Row refused_row() {
    Row row;
    row.asked = a_case();
    row.refusal = "no such rung";
    return row;
}

Row a_row() {
    Row row;
    row.asked = a_case();
    row.record = jacobi::testing::finished_run();
    row.record.temporal_depth = 2;
    row.us = {9, 10, 12};
    return row;
}

TEST(BenchOptions, Lists) {
    const BenchOptions o = parse({"--sizes", "64,3x4x5,64", "--depths", "1,auto", "--precision", "float", "--problem",
                                  "poisson,random", "--set", "comm.overlap=false"});
    EXPECT_EQ(o.sizes, (std::vector<Index3>{{64, 64, 64}, {3, 4, 5}})) << "each once";
    EXPECT_EQ(o.depths, (std::vector<std::optional<int>>{1, std::nullopt}));
    EXPECT_EQ(o.precisions, std::vector{Precision::float32});
    EXPECT_EQ(o.problems, (std::vector{ProblemKind::poisson, ProblemKind::random}));
    EXPECT_EQ(o.overrides, std::vector<std::string>{"comm.overlap=false"});
}

TEST(BenchPlan, ShapesOfPassesAreMeasuredUnlessAskedOtherwise) {
    Common common;
    EXPECT_EQ(config_of(planned({"--sizes", "4"}).front(), common).device.plan, "measure");
    common.overrides = parse({"--set", "device.plan=auto"}).overrides;
    EXPECT_EQ(config_of(planned({"--sizes", "4"}).front(), common).device.plan, "auto");
}

TEST(BenchPlan, EveryCombinationOnce) {
    const auto cases = planned({"--sizes", "8,9", "--depths", "1,3", "--rungs", "flag,barrier", "--problem", "laplace,poisson"});
    EXPECT_EQ(cases.size(), 2u * 2 * 2 * 2 * 2);
    std::vector<std::string> names;
    for (const Case& c : cases) names.push_back(text(c));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(BenchPlan, StagedMessagesComeFirstBetweenRanks) {
    for (const Case& c : planned({"--sizes", "8", "--transports", "mpi"})) EXPECT_EQ(c.transport, "auto") << "one rank";
    const auto cases = planned({"--sizes", "8", "--depths", "1", "--precision", "double", "--rungs", "flag,event"}, 2);
    ASSERT_EQ(cases.size(), 3u);
    EXPECT_TRUE(is_staged(cases[0]) && !is_staged(cases[1]) && !is_staged(cases[2]));
    const auto asked = planned(
        {"--sizes", "8", "--depths", "1", "--precision", "double", "--rungs", "flag,barrier", "--transports", "shm,mpi"}, 2);
    ASSERT_EQ(asked.size(), 4u);
    EXPECT_TRUE(is_staged(asked[0]));
}

TEST(BenchPlan, SizesFollowTheBackEnd) {
    EXPECT_EQ(planned({}, 1, "host").back().cells, (Index3{256, 256, 256}));
    EXPECT_EQ(planned({}, 1, "cuda").back().cells, (Index3{512, 512, 512}));
    EXPECT_EQ(planned({"--quick"}).back().cells, (Index3{64, 64, 64}));
}

TEST(BenchPlan, VerifiedSweepsHoldFullAndShallowPasses) {
    const auto cases = planned({"--depths", "1,200"});
    EXPECT_EQ(verified_sweeps({1024, 1024, 1024}, cases, 200), 401);
    EXPECT_EQ(verified_sweeps({1024, 1024, 1024}, cases, 8), 13) << "what the back end refuses needs no sweeps";
    EXPECT_EQ(verified_sweeps({1024, 1024, 1024}, planned({}), 8), 13);
    EXPECT_EQ(verified_sweeps({2, 2, 2}, planned({}), 8), 259);
}

TEST(BenchDigests, TheFirstOneIsWhatOthersMustEqual) {
    Digests digests;
    const Case plain = plainest(a_case());
    EXPECT_FALSE(digests.has(a_case()));
    EXPECT_EQ(digests.enter(plain, 17, 13), "");
    EXPECT_TRUE(digests.has(a_case()));
    EXPECT_EQ(digests.enter(a_case(), 17, 13), "");
    const std::string wrong = digests.enter(a_case(), 18, 13);
    EXPECT_NE(wrong.find("4x5x6 random double, depth 2, flag over shm: digest 0000000000000012 after 13 sweeps"),
              std::string::npos)
        << wrong;
    EXPECT_NE(wrong.find("0000000000000011 with 4x5x6 random double, depth 1, barrier over auto"), std::string::npos) << wrong;
    Case other = a_case();
    other.precision = Precision::float32;
    EXPECT_EQ(digests.enter(other, 18, 13), "") << "another precision has bits of its own";
    other = a_case();
    other.problem = ProblemKind::poisson;
    EXPECT_EQ(digests.enter(other, 19, 13), "");
    other.cells = {6, 5, 4};
    EXPECT_EQ(digests.enter(other, 20, 13), "");
}

TEST(BenchTable, WrongBitsDecideTheExitStatus) {
    Table table;
    EXPECT_EQ(table.status(), Exit::failure) << "nothing was measured";
    table.rows.push_back(refused_row());
    EXPECT_EQ(table.status(), Exit::failure);
    table.rows.push_back(a_row());
    EXPECT_EQ(table.status(), Exit::success) << "a refusal is a footnote";
    table.rows.back().wrong = "WRONG BITS: ...";
    EXPECT_EQ(table.status(), Exit::verification);
    EXPECT_NE(row_text(table.rows.back(), table, {}).find("WRONG [1]\n"), std::string::npos);
    EXPECT_NE(table_footer(table, {}).find("1 of 1 configurations computed other bits"), std::string::npos);
    EXPECT_NE(table_json(table).find("\"right\":false"), std::string::npos);
}

TEST(BenchTable, ARefusalIsARowAndAFootnote) {
    Table table;
    const Row row = refused_row();
    EXPECT_EQ(table.note("another"), 1u);
    for (int i = 0; i < 2; ++i) {
        const std::string text = row_text(row, table, {});
        EXPECT_NE(text.find("refused"), std::string::npos);
        EXPECT_NE(text.find("[2]\n"), std::string::npos);
    }
    EXPECT_EQ(table.notes, (std::vector<std::string>{"another", "no such rung"})) << "once";
}

TEST(BenchTable, SpreadOfRepeats) {
    const Spread odd = spread_of({3, 1, 2});
    EXPECT_EQ((std::vector{odd.min, odd.median, odd.max}), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
}

}  // namespace
}  // namespace jacobi::bench
