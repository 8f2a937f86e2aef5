// --set options: the same reader, on top of the deck.
#include <gtest/gtest.h>

#include "deck_testing.hpp"

namespace jacobi::testing {
namespace {

using Options = std::vector<std::string>;

DeckResult set(const std::string& deck, const Options& options) { return read_deck(deck, "d.yaml", options, host_build()); }

void expect_errors(const std::string& deck, const Options& options, const std::vector<std::string>& expected) {
    EXPECT_EQ(lines(set(deck, options)), expected);
}

TEST(DeckSet, ReplacesAndCreates) {
    const Options options{"grid.cells=[1, 2, 3]",
                          "solver.precision=float",
                          "comm.timeout_s=5",
                          "comm.timeout_s = 6",
                          "output.file=a=b.h5",
                          "problem.faces.x-= -1",
                          "device={backend: host, threads: 2}",
                          "report.file='none'",
                          "solver.iterations=9 # x"};
    const DeckResult result = set(minimal + "problem: {faces: {y-: 4}}\n", options);
    EXPECT_EQ(lines(result), Options{});
    const Config& c = result.config;
    EXPECT_EQ(c.problem.grid.cells, (Index3{1, 2, 3}));
    EXPECT_EQ(c.solver.precision, Precision::float32);
    EXPECT_EQ(c.solver.iterations, 9);
    EXPECT_EQ(c.comm.timeout_s, 6);
    EXPECT_EQ(c.output.file, "a=b.h5");
    EXPECT_EQ(c.problem.faces, (std::array<double, face_count>{-1, 0, 4, 0, 0, 0})) << "maps merge key by key";
    EXPECT_EQ(c.device.threads, 2);
    EXPECT_EQ(c.report.file, "none");
    EXPECT_EQ(c.overrides, options);
}

TEST(DeckSet, LastOneCounts) {
    const DeckResult result = set(minimal, {"comm.timeout_s=5", "comm={timeout_s: 6}"});
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.config.comm.timeout_s, 6);
}

TEST(DeckSet, SuppliesWhatTheDeckLacks) {
    EXPECT_TRUE(set(solver, {"grid.cells=[4, 5, 6]"}).ok());
    EXPECT_TRUE(set("{}", {"grid={cells: [4, 5, 6]}", "solver.iterations=0"}).ok());
    expect_errors(solver, {"grid.length=[1, 1, 1]"}, {"d.yaml:1:1: grid.cells: missing; expected [nx, ny, nz]"});
    EXPECT_TRUE(set(minimal + "output: {file: a}\n", {"output.file=none"}).config.output.file.empty());
}

TEST(DeckSet, ErrorsNameTheOption) {
    expect_errors(minimal, {"grid.cells=[1, x, 3]"},
                  {"--set grid.cells=[1, x, 3]: grid.cells[1]: expected an integer >= 1, found \"x\""});
    expect_errors(minimal, {"grid.cell=[1, 2, 3]"},
                  {"--set grid.cell=[1, 2, 3]: grid.cell: unknown key; the nearest valid key is grid.cells"});
    expect_errors(minimal, {"grid=7"}, {"--set grid=7: grid: expected a map of keys, found \"7\""});
    expect_errors(minimal, {"grid.cells.x=3"},
                  {"--set grid.cells.x=3: grid.cells: expected a list [nx, ny, nz], each an integer >= 1, found a map"});
    expect_errors(minimal, {"output.file="}, {"--set output.file=: output.file: expected a path or none, found nothing"});
    expect_errors(minimal, {"output={file: a, file: b}"},
                  {"--set output={file: a, file: b}: output.file: duplicate key; first given at line 1, column 2"});
    expect_errors(minimal, {"problem.kind=poisson", "problem.mode=[9, 1, 1]"},
                  {"--set problem.mode=[9, 1, 1]: problem.mode[0]: expected 1 to 4 on the x axis (4 cells), found 9"});
    expect_errors(minimal, {"comm.sync=flag"},
                  {"--set comm.sync=flag: comm.sync: flag is not in this build; expected auto, barrier or event"});
}

TEST(DeckSet, MalformedOptions) {
    const std::string empty_part = "expected key.path=value, found an empty part in the path";
    expect_errors(minimal, {"grid", "", "=3", " =3", "a..b=1", "grid.=3", ".grid=3"},
                  {"--set grid: expected key.path=value, found no =", "--set : expected key.path=value, found no =",
                   "--set =3: " + empty_part, "--set  =3: " + empty_part, "--set a..b=1: " + empty_part,
                   "--set grid.=3: " + empty_part, "--set .grid=3: " + empty_part});
    const DeckResult result = set(minimal, {"grid.cells=[1, 2", "output.file='a"});
    ASSERT_EQ(result.errors.size(), 2u);
    EXPECT_EQ(result.errors[0].where, "--set grid.cells=[1, 2");
    EXPECT_TRUE(result.errors[0].message.starts_with("not valid YAML: ")) << result.errors[0].message;
    EXPECT_EQ(result.errors[1].where, "--set output.file='a");
}

/// The deck's own faults stand, also where an option replaces the value, and also when the deck cannot be parsed.
TEST(DeckSet, DeckErrorsStayAndComeFirst) {
    expect_errors(grid + "solver: {iterations: x}\n", {"solver.iterations=3", "comm.force=2"},
                  {"d.yaml:2:22: solver.iterations: expected an integer >= 0, found \"x\"",
                   "--set comm.force=2: comm.force: expected true or false, found \"2\""});
    expect_errors("", {"comm.force=2"},
                  {"d.yaml:1:1: expected a map of sections (grid, problem, solver, ...), found nothing: the deck is empty",
                   "--set comm.force=2: comm.force: expected true or false, found \"2\""});
}

/// A fault between a deck's key and an option is reported where the key at fault stands.
TEST(DeckSet, CrossChecksUseTheFinalValues) {
    expect_errors(minimal + "problem: {faces: {x-: 1}}\n", {"grid.periodic=[true, false, false]"},
                  {"d.yaml:3:19: problem.faces.x-: the x axis is periodic and has no faces; expected no such key"});
    EXPECT_TRUE(set(minimal + "problem: {kind: eigenmode, mode: [9, 1, 1]}\n", {"grid.cells=[9, 9, 9]"}).ok());
}

}  // namespace
}  // namespace jacobi::testing
