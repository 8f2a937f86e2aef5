// What a deck means: every default, every key's way into the configuration, spellings that are allowed.
#include <gtest/gtest.h>

#include <cmath>

#include "deck_testing.hpp"

namespace jacobi::testing {
namespace {

Config read(const std::string& text, const Support& support = full_build()) {
    const DeckResult result = read_deck(text, "d.yaml", {}, support);
    EXPECT_EQ(lines(result), std::vector<std::string>{}) << text;
    return result.config;
}

using Faces = std::array<double, face_count>;

TEST(DeckDefaults, MinimalDeck) {
    const Config c = read(minimal, host_build());
    EXPECT_EQ(c.problem.grid.cells, (Index3{4, 5, 6}));
    EXPECT_EQ(c.problem.grid.length, (std::array<double, 3>{1, 1, 1}));
    EXPECT_EQ(c.problem.grid.periodic, (std::array<bool, 3>{false, false, false}));
    EXPECT_EQ(c.problem.kind, ProblemKind::laplace);
    EXPECT_EQ(c.problem.faces, (Faces{0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(c.problem.mode, (Index3{1, 1, 1}));
    EXPECT_EQ(c.problem.seed, 1u);
    EXPECT_EQ(c.solver.iterations, 7);
    EXPECT_EQ(c.solver.tolerance, 0);
    EXPECT_EQ(c.solver.check_every, 50);
    EXPECT_EQ(c.solver.precision, Precision::float64);
    EXPECT_EQ(c.solver.temporal_depth, std::nullopt);
    EXPECT_EQ(c.comm.ranks, std::nullopt);
    EXPECT_EQ(c.comm.transport, "auto");
    EXPECT_EQ(c.comm.halo_depth, std::nullopt);
    EXPECT_EQ(c.comm.ablate, Ablate::none);
    EXPECT_EQ(c.comm.sync, "auto");
    EXPECT_TRUE(c.comm.overlap);
    EXPECT_FALSE(c.comm.force);
    EXPECT_EQ(c.comm.timeout_s, 60);
    EXPECT_EQ(c.comm.virtual_nodes, 1);
    EXPECT_EQ(c.device.backend, "auto");
    EXPECT_EQ(c.device.threads, std::nullopt);
    EXPECT_EQ(c.device.plan, "auto");
    EXPECT_EQ(c.output.file, "");
    EXPECT_EQ(c.output.every, 0);
    EXPECT_TRUE(c.output.overwrite);
    EXPECT_EQ(c.output.compression, 0);
    EXPECT_EQ(c.checkpoint.file, "");
    EXPECT_EQ(c.checkpoint.every, 0);
    EXPECT_EQ(c.verify, Verify::automatic);
    EXPECT_EQ(c.report.file, "");
    EXPECT_EQ(c.report.csv, "");
    EXPECT_EQ(c.deck_text, minimal);
    EXPECT_TRUE(c.overrides.empty());
}

TEST(DeckDefaults, EveryKeyReachesItsPlace) {
    const Config c = read(
        "grid: {cells: [7, 8, 9], length: [1.5, 2, 3e-1], periodic: [false, true, False]}\n"
        "problem: {kind: random, seed: 18446744073709551615, faces: {x-: 1, x+: 2, z-: -3, z+: .5}}\n"
        "solver: {iterations: 100, tolerance: 1e-6, check_every: 10, precision: float, temporal_depth: 2}\n"
        "comm: {ranks: [1, 2, 3], transport: mpi, halo_depth: 4, ablate: no_compute, sync: stream, overlap: false,\n"
        "       force: true, timeout_s: 2.5, virtual_nodes: 2}\n"
        "device: {backend: cuda, threads: 3, plan: kept/p.json}\n"
        "output: {file: out/u.vtkhdf, every: 20, overwrite: false, compression: 9}\n"
        "checkpoint: {file: 'c p.h5', every: 30}\n"
        "verify: {kind: reference}\n"
        "report: {file: r.json, csv: all.csv}\n");
    EXPECT_EQ(c.problem.grid.cells, (Index3{7, 8, 9}));
    EXPECT_EQ(c.problem.grid.length, (std::array<double, 3>{1.5, 2, 0.3}));
    EXPECT_EQ(c.problem.grid.periodic, (std::array<bool, 3>{false, true, false}));
    EXPECT_EQ(c.problem.kind, ProblemKind::random);
    EXPECT_EQ(c.problem.seed, 18446744073709551615u);
    EXPECT_EQ(c.problem.faces, (Faces{1, 2, 0, 0, -3, 0.5}));
    EXPECT_EQ(c.solver.iterations, 100);
    EXPECT_EQ(c.solver.tolerance, 1e-6);
    EXPECT_EQ(c.solver.check_every, 10);
    EXPECT_EQ(c.solver.precision, Precision::float32);
    EXPECT_EQ(c.solver.temporal_depth, 2);
    EXPECT_EQ(c.comm.ranks, (std::array<int, 3>{1, 2, 3}));
    EXPECT_EQ(c.comm.transport, "mpi");
    EXPECT_EQ(c.comm.halo_depth, 4);
    EXPECT_EQ(c.comm.ablate, Ablate::no_compute);
    EXPECT_EQ(c.comm.sync, "stream");
    EXPECT_FALSE(c.comm.overlap);
    EXPECT_TRUE(c.comm.force);
    EXPECT_EQ(c.comm.timeout_s, 2.5);
    EXPECT_EQ(c.comm.virtual_nodes, 2);
    EXPECT_EQ(c.device.backend, "cuda");
    EXPECT_EQ(c.device.threads, 3);
    EXPECT_EQ(c.device.plan, "kept/p.json");
    EXPECT_EQ(c.output.file, "out/u.vtkhdf");
    EXPECT_EQ(c.output.every, 20);
    EXPECT_FALSE(c.output.overwrite);
    EXPECT_EQ(c.output.compression, 9);
    EXPECT_EQ(c.checkpoint.file, "c p.h5");
    EXPECT_EQ(c.checkpoint.every, 30);
    EXPECT_EQ(c.verify, Verify::reference);
    EXPECT_EQ(c.report.file, "r.json");
    EXPECT_EQ(c.report.csv, "all.csv");
    EXPECT_EQ(read(minimal + "problem: {kind: eigenmode, mode: [4, 5, 6]}\n").problem.mode, (Index3{4, 5, 6}));
}

TEST(DeckDefaults, Faces) {
    const auto faces = [](const std::string& periodic, const std::string& problem) {
        return read("grid: {cells: [4, 5, 6], periodic: " + periodic + "}\n" + solver + "problem: {" + problem + "}\n")
            .problem.faces;
    };
    EXPECT_EQ(faces("[false, false, true]", "kind: laplace"), (Faces{0, 0, 0, 1, 0, 0}));
    EXPECT_EQ(faces("[false, true, true]", "kind: laplace"), (Faces{0, 1, 0, 0, 0, 0}));
    EXPECT_EQ(faces("[true, true, true]", "kind: laplace"), Faces{});
    EXPECT_EQ(faces("[true, true, false]", "kind: laplace"), (Faces{0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(faces("[false, false, false]", "faces: {x-: 2}"), (Faces{2, 0, 0, 0, 0, 0})) << "given faces replace the default";
    EXPECT_EQ(faces("[false, false, false]", "kind: random"), Faces{});
    EXPECT_EQ(faces("[false, false, false]", "kind: poisson"), Faces{});
}

TEST(DeckDefaults, MinusZeroIsZero) {
    const Config c = read(
        grid + "solver: {iterations: -0, tolerance: -0.0}\nproblem: {kind: random, seed: -0, faces: {x-: -0, y+: -0.0e5}}\n");
    EXPECT_FALSE(std::signbit(c.problem.faces[0]));
    EXPECT_FALSE(std::signbit(c.problem.faces[3]));
    EXPECT_FALSE(std::signbit(c.solver.tolerance));
    EXPECT_EQ(c.solver.iterations, 0);
    EXPECT_EQ(c.problem.seed, 0u);
}

TEST(DeckDefaults, ModesOfPeriodicAxes) {
    const std::string periodic = "grid: {cells: [4, 5, 6], periodic: [true, true, true]}\n" + solver;
    EXPECT_EQ(read(periodic + "problem: {kind: eigenmode, mode: [2, 2, 3]}\n").problem.mode, (Index3{2, 2, 3}));
    EXPECT_EQ(read(periodic + "problem: {kind: eigenmode, mode: [0, 0, 0]}\n").problem.mode, (Index3{0, 0, 0}));
    EXPECT_EQ(read(periodic + "problem: {kind: poisson, mode: [0, 1, 0]}\n").problem.mode, (Index3{0, 1, 0}));
}

TEST(DeckDefaults, AllowedSpellings) {
    EXPECT_EQ(read("\xEF\xBB\xBF" + minimal).solver.iterations, 7) << "byte order mark";
    EXPECT_EQ(read("%YAML 1.2\n---\n" + minimal + "...\n").solver.iterations, 7) << "document markers";
    EXPECT_EQ(read("{\"grid\": {\"cells\": [4, 5, 6]}, \"solver\": {\"iterations\": 7}}").solver.iterations, 7) << "JSON";
    std::string dos = grid + "solver:\n  iterations: +7\n  precision: \"float\"\n";
    for (std::size_t i = 0; (i = dos.find('\n', i)) != std::string::npos; i += 2) dos.insert(i, "\r");
    EXPECT_EQ(read(dos).solver.precision, Precision::float32) << "CRLF";
    const Config aliases = read(
        "grid: {cells: [&n 4, *n, 6], length: &l [1, 2, 3]}\nsolver: {iterations: *n}\n"
        "comm: {ranks: *l}\n");
    EXPECT_EQ(aliases.problem.grid.cells, (Index3{4, 4, 6}));
    EXPECT_EQ(aliases.solver.iterations, 4);
    EXPECT_EQ(aliases.comm.ranks, (std::array<int, 3>{1, 2, 3}));
    const Config paths = read(minimal + "output: {file: none}\nreport: {file: 'none', csv: '12'}\n");
    EXPECT_EQ(paths.output.file, "");
    EXPECT_EQ(paths.report.file, "none");
    EXPECT_EQ(paths.report.csv, "12");
    EXPECT_EQ(read(minimal + "device: {plan: measure}\n").device.plan, "measure");
    EXPECT_EQ(read(minimal + "device: {plan: 'none'}\n").device.plan, "none");
    EXPECT_EQ(read(minimal + "comm: {overlap: FALSE, force: True}\n").comm.force, true);
}

}  // namespace
}  // namespace jacobi::testing
