// What a run says to people, and the two lines that tools grep.
#include "terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <vector>

#include "progress.hpp"
#include "report_testing.hpp"
#include "tty.hpp"

namespace jacobi {
namespace {

using testing::finished_run;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const Style plain{};

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Terminal, FigureOfMeritIsFixedPoint) {
    const std::regex fom(R"(^Figure of Merit \(FOM\): [0-9]+\.[0-9]{3} MLUP/s$)");
    RunRecord r = finished_run();
    for (const double seconds : {0.25, 1e-9, 1e9, 0.0}) {
        r.solve_s = seconds;
        int found = 0;
        for (const auto& line : lines(result_text(r, false, plain))) found += std::regex_match(line, fom) ? 1 : 0;
        EXPECT_EQ(found, 1) << seconds;
    }
    r.solve_s = 0.25;
    EXPECT_TRUE(has(result_text(r, false, plain), "\nFigure of Merit (FOM): 9.600 MLUP/s\n"));
}

TEST(Terminal, VerificationLine) {
    RunRecord r = finished_run();
    EXPECT_EQ(lines(result_text(r, false, plain)).back(), "Verification: PASS (eigenmode, max error 1.0e-14)");
    r.verification.verdict = Verification::Verdict::skipped;
    EXPECT_TRUE(lines(result_text(r, false, plain)).back().starts_with("Verification: SKIPPED ("));
    r.verification.verdict = Verification::Verdict::fail;
    EXPECT_TRUE(lines(result_text(r, false, plain)).back().starts_with("Verification: FAIL ("));
}

TEST(Terminal, NotANumberNeverPasses) {
    RunRecord r = finished_run();
    for (const double error : {nan, std::numeric_limits<double>::infinity()}) {
        r.verification.error = error;
        for (const bool quiet : {false, true}) {
            const std::string text = result_text(r, quiet, plain);
            EXPECT_TRUE(has(text, "\nVerification: FAIL (")) << text;
            EXPECT_FALSE(has(text, "PASS"));
        }
    }
}

TEST(Terminal, QuietLeavesThreeLines) {
    const auto found = lines(result_text(finished_run(), true, plain));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_TRUE(std::regex_match(found[0], std::regex("digest +0000000000000abc"))) << found[0];
    EXPECT_EQ(found[1], "Figure of Merit (FOM): 9.600 MLUP/s");
    EXPECT_EQ(found[2], "Verification: PASS (eigenmode, max error 1.0e-14)");
}

TEST(Terminal, ResultTable) {
    RunRecord r = finished_run();
    const std::string text = result_text(r, false, plain);
    for (const char* part :
         {"interior", "60.0 %", "boundary", "20.0 %", "0.010 GLUP/s", "2500.0 us a sweep", "reached 1.0 %", "max 5.000000e-01",
          "L2 2.500000e-01 after 100 sweeps", "(max 4.000000e+00 after 0)", "0000000000000abc",
          "peer memory    shm: copy 4.5 GB/s; stores on x, y, z faces 0.5, 3, 3.5 GB/s; a flag in 0.75 us\n"}) {
        EXPECT_TRUE(has(text, part)) << part << "\n" << text;
    }
    r.peers.reason = "no kernel may wait";
    EXPECT_TRUE(has(result_text(r, false, plain), "GB/s; no flags: no kernel may wait\n"));
    r.peers.memory = "self";
    EXPECT_TRUE(has(result_text(r, false, plain), "\nown memory     copy 4.5 GB/s;")) << "no peer's";
    r.peers = {};
    EXPECT_FALSE(has(result_text(r, false, plain), " memory ")) << "there is none";
    EXPECT_FALSE(has(text, "converged")) << "without a tolerance there is nothing to converge to";
    r.config.solver.tolerance = 1e-6;
    EXPECT_TRUE(has(result_text(r, false, plain), "no, tolerance 1e-06"));
    r.diverged = true;
    EXPECT_TRUE(has(result_text(r, false, plain), "diverged by sweep 100"));
}

TEST(Terminal, WhatWasStoredComesLast) {
    RunRecord r = finished_run();
    r.output_s = 0.5;
    r.total_s = 2;
    const std::string text = closing_text(r);
    for (const char* part : {"output              0.500 s\n", "total               2.000 s\n", "files          out/u.vtkhdf\n"})
        EXPECT_TRUE(has(text, part)) << part << "\n" << text;
    EXPECT_FALSE(has(result_text(r, false, plain), "out/u.vtkhdf")) << "the results are printed before anything is stored";
}

TEST(Terminal, Header) {
    RunRecord r = finished_run();
    r.warnings = {"8 ranks share one GPU"};
    const std::string text = header_text(r, plain);
    for (const char* part :
         {"jacobi 1.2.3 (git abc123)", "laplace on 20 x 30 x 40 cells, double, periodic in x, 100 sweeps", "host (auto: no GPU)",
          "2 ranks on 1 node (node07)", "each AVX2, 1 thread", "1 x 1 x 2, blocks of 20 x 30 x 20 cells", "3.0 MiB a rank",
          "event (auto), overlap", "2 self, 2 shm; a sweep moves 12.5 KiB self, 9.4 KiB shm\n",
          "WARNING        8 ranks share one GPU"}) {
        EXPECT_TRUE(has(text, part)) << part << "\n" << text;
    }
    r.boundary_apart = false;
    EXPECT_TRUE(has(header_text(r, plain), "event (auto), boundary and interior in one launch"));
    EXPECT_FALSE(has(text, "ABLATED"));
    r.config.comm.ablate = Ablate::no_comm;
    EXPECT_TRUE(has(header_text(r, plain), "ABLATED        no_comm"));
}

TEST(Terminal, HeaderSaysWhereTheShapeOfPassesCameFrom) {
    RunRecord r = finished_run();
    const auto plan_line = [&] {
        for (const std::string& line : lines(header_text(r, plain))) {
            if (line.starts_with("plan ")) return line.substr(15);
        }
        return std::string();
    };
    r.plan.reason = "nothing to choose";
    EXPECT_EQ(plan_line(), "") << "nothing was asked for";
    r.config.device.plan = "measure";
    EXPECT_EQ(plan_line(), "not applicable (nothing to choose)");
    r.plan = {"measured", "", "asked for; cannot be kept: Permission denied", "", 0.09};
    r.plan_sources = {{"measured", 2}};
    EXPECT_EQ(plan_line(), "measured (asked for; cannot be kept: Permission denied)");
    r.plan = {"measured", "p.json", "none was kept", "", 0.314};
    EXPECT_EQ(plan_line(), "measured in 0.31 s (none was kept; kept in p.json)");
    r.plan = {"cached", "p.json", "", "", 1e-4};
    r.plan_sources = {{"cached", 2}};
    EXPECT_EQ(plan_line(), "cached (p.json)");
    r.plan_sources = {{"cached", 1}, {"measured", 1}};
    EXPECT_EQ(plan_line(), "cached on 1 rank, measured on 1 rank (p.json)");
    r.plan = {"given", "p.json", "", "", 0};
    r.plan_sources = {{"given", 2}};
    EXPECT_EQ(plan_line(), "given (p.json)");
}

TEST(Terminal, HeaderCountsSharedDevices) {
    RunRecord r = finished_run();
    for (auto& place : r.places) {
        place.device = "NVIDIA H200";
        place.uuid = "GPU-1";
    }
    EXPECT_TRUE(has(header_text(r, plain), "1 x NVIDIA H200, shared by 2 ranks"));
    r.places[1].uuid = "GPU-2";
    EXPECT_TRUE(has(header_text(r, plain), "2 x NVIDIA H200\n"));
}

TEST(Terminal, EdgesOneALineOrOneAKind) {
    const RunRecord r = finished_run();
    const auto each = lines(edges_text(r));
    ASSERT_EQ(each.size(), 5u);
    EXPECT_TRUE(std::regex_match(each[1], std::regex(" +0  z\\+ +1  shm +4800  same node"))) << each[1];
    const auto kinds = lines(edges_text(r, 3));
    ASSERT_EQ(kinds.size(), 3u);
    EXPECT_TRUE(std::regex_match(kinds[2], std::regex(" +2  shm +9600  same node"))) << kinds[2];
}

TEST(Terminal, DryRunShowsDecompositionMemoryAndEdges) {
    const std::string text = dry_run_text(finished_run(), plain);
    for (const char* part : {"1 x 1 x 2", "3.0 MiB a rank", "same node", "no file was touched"})
        EXPECT_TRUE(has(text, part)) << part;
}

TEST(Terminal, ColourOnlyOnDemandAndForWhatWantsAttention) {
    RunRecord r = finished_run();
    r.warnings = {"careful"};
    const Style colored{true};
    EXPECT_FALSE(has(header_text(r, plain) + result_text(r, false, plain), "\033"));
    EXPECT_TRUE(has(header_text(r, colored), "\033"));
    EXPECT_FALSE(has(result_text(r, false, colored), "\033")) << "a PASS is the same line for every reader";
    r.verification.verdict = Verification::Verdict::fail;
    EXPECT_TRUE(has(result_text(r, false, colored), "Verification: FAIL (")) << "no codes inside the line";
}

TEST(Terminal, ColourRespectsTheUser) {
    setenv("NO_COLOR", "1", 1);
    EXPECT_FALSE(wants_color(false));
    unsetenv("NO_COLOR");
    EXPECT_FALSE(wants_color(true));
}

TEST(Progress, Text) {
    EXPECT_EQ(progress_text(150, 200, 1.25e-5, 1234.56, 3.2), "sweep 150 of 200  residual 1.250e-05  1234.6 MLUP/s  3 s left");
    EXPECT_EQ(progress_text(150, 200, nan, 1234.56, -1), "sweep 150 of 200  1234.6 MLUP/s");
}

TEST(Progress, ClearsItsLineAndIsSilentWhenDisabled) {
    const RunRecord r = finished_run();
    ::testing::internal::CaptureStderr();
    {
        Progress progress(true);
        progress.update(r);
        progress.update(r);  // too soon
    }
    const std::string shown = ::testing::internal::GetCapturedStderr();
    const std::size_t end = shown.find('\r', 1);
    ASSERT_NE(end, std::string::npos) << shown;
    EXPECT_TRUE(shown.starts_with("\rsweep 100 of 100  residual")) << shown;
    EXPECT_EQ(shown.substr(end), '\r' + std::string(end - 1, ' ') + '\r');

    ::testing::internal::CaptureStderr();
    {
        Progress progress(false);
        progress.update(r);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace jacobi
