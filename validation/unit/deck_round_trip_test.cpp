// to_yaml writes a deck that reads as the same configuration.
#include <gtest/gtest.h>

#include <filesystem>

#include "deck_testing.hpp"

namespace jacobi::testing {
namespace {

void expect_equal(const Config& a, const Config& b) {
    EXPECT_EQ(a.problem.grid.cells, b.problem.grid.cells);
    EXPECT_EQ(a.problem.grid.length, b.problem.grid.length);
    EXPECT_EQ(a.problem.grid.periodic, b.problem.grid.periodic);
    EXPECT_EQ(a.problem.kind, b.problem.kind);
    EXPECT_EQ(a.problem.faces, b.problem.faces);
    EXPECT_EQ(a.problem.mode, b.problem.mode);
    EXPECT_EQ(a.problem.seed, b.problem.seed);
    EXPECT_EQ(a.solver.iterations, b.solver.iterations);
    EXPECT_EQ(a.solver.tolerance, b.solver.tolerance);
    EXPECT_EQ(a.solver.check_every, b.solver.check_every);
    EXPECT_EQ(a.solver.precision, b.solver.precision);
    EXPECT_EQ(a.solver.temporal_depth, b.solver.temporal_depth);
    EXPECT_EQ(a.comm.ranks, b.comm.ranks);
    EXPECT_EQ(a.comm.transport, b.comm.transport);
    EXPECT_EQ(a.comm.halo_depth, b.comm.halo_depth);
    EXPECT_EQ(a.comm.ablate, b.comm.ablate);
    EXPECT_EQ(a.comm.sync, b.comm.sync);
    EXPECT_EQ(a.comm.overlap, b.comm.overlap);
    EXPECT_EQ(a.comm.force, b.comm.force);
    EXPECT_EQ(a.comm.timeout_s, b.comm.timeout_s);
    EXPECT_EQ(a.comm.virtual_nodes, b.comm.virtual_nodes);
    EXPECT_EQ(a.device.backend, b.device.backend);
    EXPECT_EQ(a.device.threads, b.device.threads);
    EXPECT_EQ(a.device.plan, b.device.plan);
    EXPECT_EQ(a.output.file, b.output.file);
    EXPECT_EQ(a.output.every, b.output.every);
    EXPECT_EQ(a.output.overwrite, b.output.overwrite);
    EXPECT_EQ(a.output.compression, b.output.compression);
    EXPECT_EQ(a.checkpoint.file, b.checkpoint.file);
    EXPECT_EQ(a.checkpoint.every, b.checkpoint.every);
    EXPECT_EQ(a.verify, b.verify);
    EXPECT_EQ(a.report.file, b.report.file);
    EXPECT_EQ(a.report.csv, b.report.csv);
}

void expect_round_trip(const std::string& text, const Support& support) {
    const DeckResult first = read_deck(text, "d.yaml", {}, support);
    ASSERT_EQ(lines(first), std::vector<std::string>{}) << text;
    const std::string written = to_yaml(first.config);
    const DeckResult second = read_deck(written, "written.yaml", {}, support);
    EXPECT_EQ(lines(second), std::vector<std::string>{}) << written;
    expect_equal(first.config, second.config);
    EXPECT_EQ(to_yaml(second.config), written);
}

TEST(DeckRoundTrip, EveryKindAndEveryKey) {
    const std::string deepest =
        "comm: {ranks: [1, 2, 3], transport: nccl, halo_depth: 4, ablate: no_comm, sync: flag, overlap: false,\n"
        "       force: true, timeout_s: 0.1, virtual_nodes: 3}\n"
        "device: {backend: host, threads: 5, plan: measure}\n"
        "output: {file: a b.h5, every: 20, overwrite: false, compression: 3}\n"
        "checkpoint: {file: c.h5, every: 30}\n"
        "verify: {kind: none}\n"
        "report: {file: r.json, csv: r.csv}\n";
    const std::string odd_grid = "grid: {cells: [4, 5, 6], length: [0.1, 1e-30, 3e20], periodic: [true, false, true]}\n";
    const std::string odd_solver =
        "solver: {iterations: 9223372036854775807, tolerance: 1e-300, check_every: 0, temporal_depth: 3}\n";
    const std::string odd = odd_grid + odd_solver + deepest;
    for (const std::string kind : {"kind: laplace", "kind: laplace, faces: {y-: -0.1, y+: 1e300}",
                                   "kind: poisson, mode: [0, 5, 3]", "kind: eigenmode, mode: [2, 1, 0]",
                                   "kind: random, seed: 18446744073709551615", "kind: random, seed: 0, faces: {y+: 3}"}) {
        expect_round_trip(odd + "problem: {" + kind + "}\n", full_build());
    }
    expect_round_trip("grid: {cells: [1, 1, 1], periodic: [true, true, true]}\n" + solver, host_build());
    expect_round_trip(minimal, host_build());
}

TEST(DeckRoundTrip, OddPaths) {
    for (const std::string path :
         {"none", "12", "true",        "~",  "null", "-",   "a: b", "a # b", " a ", "it's", "[a]", "*a",  "&a",
          "!a",   "..", "\xc3\xa9.h5", "%a", "@a",   "`a`", "{}",   "-a",    "- a", "? a",  "1e3", "0x1", ".inf"}) {
        expect_round_trip(minimal + "output: {file: \"" + path + "\"}\n", host_build());
        expect_round_trip(minimal + "device: {plan: \"" + path + "\"}\n", host_build());
    }
    expect_round_trip(minimal + "output: {file: 'back\\slash \"quoted\"'}\n", host_build());
}

TEST(DeckRoundTrip, DecksInInputs) {
    int decks = 0;
    for (const auto& entry : std::filesystem::directory_iterator(JACOBI_INPUTS)) {
        if (entry.path().extension() != ".yaml") continue;
        ++decks;
        SCOPED_TRACE(entry.path().string());
        std::string error;
        const auto text = load_text(entry.path().string(), error);
        ASSERT_TRUE(text) << error;
        EXPECT_TRUE(text->starts_with("# ")) << "the first lines say what the deck shows";
        expect_round_trip(*text, host_build());
    }
    EXPECT_GE(decks, 8);
}

}  // namespace
}  // namespace jacobi::testing
