// The JSON report against the contract (INTERFACE.md: Report): its keys, types and values.
#include "report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report_testing.hpp"

namespace jacobi {
namespace {

using Json = nlohmann::json;
using testing::finished_run;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Json json_of(const RunRecord& record) { return Json::parse(report_text(record)); }

void expect_types(const Json& object, const std::vector<std::pair<std::string, Json::value_t>>& types) {
    for (const auto& [key, type] : types) {
        ASSERT_TRUE(object.contains(key)) << key;
        // Numbers: any kind will do, but what must be an integer is one.
        const bool any_number = type == Json::value_t::number_float && object[key].is_number();
        const bool integer = type == Json::value_t::number_integer && object[key].is_number_integer();
        EXPECT_TRUE(any_number || integer || object[key].type() == type) << key << ": " << object[key];
    }
}

TEST(Report, HasEveryKeyOfTheContractWithItsType) {
    using enum Json::value_t;
    const Json j = json_of(finished_run());
    expect_types(j, {{"schema", string},
                     {"version", string},
                     {"git", string},
                     {"host", string},
                     {"ranks", number_integer},
                     {"nodes", number_integer},
                     {"backend", string},
                     {"devices", array},
                     {"precision", string},
                     {"cells", array},
                     {"decomposition", array},
                     {"sync", string},
                     {"overlap", boolean},
                     {"temporal_depth", number_integer},
                     {"edges", array},
                     {"iterations", number_integer},
                     {"converged", boolean},
                     {"residual_max", number_float},
                     {"residual_l2", number_float},
                     {"digest", string},
                     {"time_s", object},
                     {"us_per_iteration", number_float},
                     {"glups", number_float},
                     {"phases", object},
                     {"bound", object},
                     {"verification", object},
                     {"deck", object}});
    expect_types(j["time_s"],
                 {{"setup", number_float}, {"solve", number_float}, {"output", number_float}, {"total", number_float}});
    expect_types(j["phases"], {{"interior", number_float}, {"boundary", number_float}, {"wait", number_float}});
    expect_types(j["bound"],
                 {{"copy_gbs", number_float}, {"one_pass_glups", number_float}, {"share", number_float}, {"peer", object}});
    expect_types(j["verification"], {{"kind", string}, {"passed", boolean}, {"error", number_float}});
    expect_types(j["deck"], {{"resolved", object}});
    ASSERT_EQ(j["edges"].size(), 4u);
    for (const Json& edge : j["edges"]) {
        expect_types(edge, {{"rank", number_integer},
                            {"neighbour", number_integer},
                            {"direction", string},
                            {"transport", string},
                            {"bytes_per_sweep", number_float},
                            {"reason", string}});
    }
}

TEST(Report, Values) {
    const Json j = json_of(finished_run());
    EXPECT_EQ(j["schema"], "jacobi-report/1");
    EXPECT_EQ(j["host"], "node07");
    EXPECT_EQ(j["mpi"], Json({{"library", "Open MPI v4.1.4"}, {"thread_level", "multiple"}}));
    EXPECT_EQ(j["precision"], "double");
    EXPECT_EQ(j["cells"], Json({20, 30, 40}));
    EXPECT_EQ(j["decomposition"], Json({1, 1, 2}));
    EXPECT_EQ(j["edges"][0], Json({{"rank", 0},
                                   {"neighbour", 1},
                                   {"direction", "z+"},
                                   {"transport", "shm"},
                                   {"bytes_per_sweep", 4800.0},
                                   {"reason", "same node"}}));
    EXPECT_EQ(j["transports"], Json({{"self", {{"edges", 2}, {"bytes_per_sweep", 12800.0}}},
                                     {"shm", {{"edges", 2}, {"bytes_per_sweep", 9600.0}}}}));
    RunRecord deep = finished_run();
    deep.temporal_depth = 2;
    EXPECT_EQ(json_of(deep)["transports"]["shm"]["bytes_per_sweep"], 4800.0) << "a pass sends it once for two sweeps";
    EXPECT_EQ(j["devices"].size(), 1u);
    EXPECT_EQ(j["devices"][0]["ranks"], 2);
    EXPECT_EQ(j["digest"], "0000000000000abc");
    EXPECT_EQ(j["residual_max"], 0.5) << "of the last check";
    EXPECT_EQ(j["residual_l2"], 0.25);
    EXPECT_DOUBLE_EQ(j["us_per_iteration"], 2500);
    EXPECT_DOUBLE_EQ(j["glups"], 0.0096);
    EXPECT_DOUBLE_EQ(j["bound"]["one_pass_glups"], 1);
    EXPECT_DOUBLE_EQ(j["bound"]["share"], 0.0096);
    EXPECT_EQ(j["bound"]["peer"], Json({{"memory", "shm"},
                                        {"copy_gbs", 4.5},
                                        {"store_gbs", {{"x", 0.5}, {"y", 3.0}, {"z", 3.5}}},
                                        {"flag_us", 0.75},
                                        {"reason", ""}}));
    EXPECT_EQ(j["verification"]["passed"], true);
}

TEST(Report, WhatWasNotMeasuredInPeerMemoryIsNullWithTheReason) {
    RunRecord r = finished_run();
    r.peers = {"ipc", "no kernel may wait", 0, {0, 3, 3.5}, 0};
    Json peer = json_of(r)["bound"]["peer"];
    EXPECT_TRUE(peer["copy_gbs"].is_null() && peer["store_gbs"]["x"].is_null() && peer["flag_us"].is_null());
    EXPECT_EQ(peer["reason"], "no kernel may wait");
    r.peers = {};
    EXPECT_TRUE(json_of(r)["bound"]["peer"]["memory"].is_null());
}

TEST(Report, SaysWhereTheShapeOfPassesCameFrom) {
    RunRecord r = finished_run();
    r.plan = {"", "", "nothing to choose", "", 0};
    Json j = json_of(r);
    EXPECT_TRUE(j["plan"]["source"].is_null() && j["plan"]["file"].is_null()) << "the host back end has none";
    EXPECT_EQ(j["plan"]["reason"], "nothing to choose");
    r.plan = {"cached", "/home/me/p.json", "", "", 0.5};
    r.plan_sources = {{"cached", 1}, {"measured", 1}};
    j = json_of(r);
    EXPECT_EQ(j["plan"], Json({{"source", "cached"},
                               {"file", "/home/me/p.json"},
                               {"reason", ""},
                               {"ranks", {{"measured", 1}, {"cached", 1}, {"given", 0}}}}));
    EXPECT_EQ(j["time_s"]["plan"], 0.5);
}

TEST(Report, DevicesAreListedOnceWithTheirRanks) {
    RunRecord r = finished_run();
    r.places.push_back(r.places[0]);
    r.places[0].uuid = r.places[2].uuid = "GPU-1";
    r.places[1].uuid = "GPU-2";
    const Json devices = json_of(r)["devices"];
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0]["uuid"], "GPU-1");
    EXPECT_EQ(devices[0]["ranks"], 2);
    EXPECT_EQ(devices[1]["ranks"], 1);
}

TEST(Report, DeckIsResolvedWithTypes) {
    RunRecord r = finished_run();
    r.config.problem.kind = ProblemKind::random;
    r.config.problem.seed = std::numeric_limits<std::uint64_t>::max();
    r.config.report.file = "true";
    const Json deck = json_of(r)["deck"], resolved = deck["resolved"];
    EXPECT_EQ(deck["text"], r.config.deck_text);
    EXPECT_EQ(deck["overrides"], Json({"solver.iterations=100"}));
    EXPECT_EQ(resolved["grid"]["cells"], Json({20, 30, 40}));
    EXPECT_EQ(resolved["grid"]["periodic"], Json({true, false, false}));
    EXPECT_EQ(resolved["problem"]["faces"]["z+"], 1);
    EXPECT_EQ(resolved["problem"]["seed"], std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(resolved["solver"]["precision"], "double");
    EXPECT_EQ(resolved["solver"]["temporal_depth"], "auto");
    EXPECT_EQ(resolved["output"]["file"], "out/u.vtkhdf");
    EXPECT_EQ(resolved["report"]["file"], "true") << "a name, not a truth value";
    EXPECT_EQ(resolved["checkpoint"]["file"], "none");
}

TEST(Report, NumbersThatJsonDoesNotHaveAreStrings) {
    RunRecord r = finished_run();
    r.checks.back() = {100, nan, inf};
    r.verification.error = nan;
    const Json j = json_of(r);
    EXPECT_EQ(j["residual_max"], "nan");
    EXPECT_EQ(j["residual_l2"], "inf");
    EXPECT_EQ(j["verification"]["error"], "nan");
    EXPECT_EQ(j["verification"]["passed"], false) << "NaN never counts as verified";
}

TEST(Report, WhatWasNotMeasuredIsNull) {
    RunRecord r = finished_run();
    r.checks.clear();
    r.verification = {};
    r.iterations = 0;
    r.solve_s = 0;
    const Json j = json_of(r);
    EXPECT_TRUE(j["residual_max"].is_null());
    EXPECT_TRUE(j["verification"]["passed"].is_null());
    EXPECT_TRUE(j["verification"]["error"].is_null());
    EXPECT_EQ(j["glups"], 0);
    EXPECT_EQ(j["us_per_iteration"], 0);
}

TEST(Report, NamesThatAreNoUtf8StayReadable) {
    RunRecord r = finished_run();
    r.files = {"out\xff.h5"};
    EXPECT_EQ(json_of(r)["files"][0], "out\uFFFD.h5");
}

}  // namespace
}  // namespace jacobi
