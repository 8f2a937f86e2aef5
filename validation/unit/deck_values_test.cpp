// Bad decks: faults of single values, of values together, and what a build lacks, each deck with all its messages in order.
#include <gtest/gtest.h>

#include <limits>

#include "deck_testing.hpp"

namespace jacobi::testing {
namespace {

TEST(DeckValues, Integers) {
    const std::string integer = "expected an integer >= 1, found ";
    const std::string octal = "; remove the leading zero, which some YAML readers take for octal";
    const std::string written_out = "; write it out, without point or exponent";
    expect_errors({
        {"grid: {cells: 64}\n" + solver, {"1:15: " + cells_list + "\"64\""}},
        {"grid: {cells: [4, 5]}\n" + solver, {"1:15: " + cells_list + "a list of 2"}},
        {"grid: {cells: []}\n" + solver, {"1:15: " + cells_list + "an empty list"}},
        {"grid: {cells: {x: 4}}\n" + solver, {"1:15: " + cells_list + "a map"}},
        {"grid: {cells: [010, 0x10, 1e3]}\n" + solver,
         {"1:16: grid.cells[0]: " + integer + "\"010\"" + octal,
          "1:21: grid.cells[1]: " + integer + "\"0x10\"; write it in decimal",
          "1:27: grid.cells[2]: " + integer + "\"1e3\"" + written_out}},
        {"grid: {cells: ['4', 5.0, 1_000]}\n" + solver,
         {"1:16: grid.cells[0]: " + integer + "the quoted text \"4\"; remove the quotes",
          "1:21: grid.cells[1]: " + integer + "\"5.0\"" + written_out, "1:26: grid.cells[2]: " + integer + "\"1_000\""}},
        {"grid: {cells: [0, -5, 99999999999999999999]}\n" + solver,
         {"1:16: grid.cells[0]: " + integer + "\"0\"", "1:19: grid.cells[1]: " + integer + "\"-5\"",
          "1:23: grid.cells[2]: " + integer + "\"99999999999999999999\"; the largest is 9223372036854775807"}},
        {"grid: {cells: [4, [5], ~]}\n" + solver,
         {"1:19: grid.cells[1]: " + integer + "a list of 1", "1:24: grid.cells[2]: " + integer + "nothing"}},
        {grid + "solver: {iterations: -1}\n", {"2:22: solver.iterations: expected an integer >= 0, found \"-1\""}},
        {grid + "solver: {iterations: ten}\n", {"2:22: solver.iterations: expected an integer >= 0, found \"ten\""}},
        {minimal + "problem: {kind: random, seed: 18446744073709551616}\n",
         {"3:31: problem.seed: expected an integer >= 0, found \"18446744073709551616\"; the largest is 18446744073709551615"}},
        {minimal + "problem: {kind: random, seed: -1}\n", {"3:31: problem.seed: expected an integer >= 0, found \"-1\""}},
        {minimal + "output: {file: a, compression: 10}\n",
         {"3:32: output.compression: expected an integer from 0 to 9, found \"10\""}},
        {minimal + "device: {threads: 0}\n", {"3:19: device.threads: expected auto or an integer from 1 to 4096, found \"0\""}},
        {minimal + "device: {threads: 1000000}\n",
         {"3:19: device.threads: expected auto or an integer from 1 to 4096, found \"1000000\""}},
        {minimal + "device: {threads: 2147483648}\n",
         {"3:19: device.threads: expected auto or an integer from 1 to 4096, found \"2147483648\""}},
        {minimal + "comm: {virtual_nodes: 2147483648}\n",
         {"3:23: comm.virtual_nodes: expected an integer >= 1, found \"2147483648\"; the largest is 2147483647"}},
        {minimal + "comm: {ranks: 8}\n",
         {"3:15: comm.ranks: expected auto or a list [px, py, pz], each an integer >= 1, found \"8\""}},
        {minimal + "comm: {ranks: [0, 1, 1]}\n", {"3:16: comm.ranks[0]: " + integer + "\"0\""}},
        {minimal + "comm: {halo_depth: 0}\n", {"3:20: comm.halo_depth: expected auto or an integer >= 1, found \"0\""}},
    });
}

TEST(DeckValues, Numbers) {
    const std::string positive = "expected a number > 0, found ";
    expect_errors({
        {"grid: {cells: [4, 5, 6], length: [.nan, 0, -.inf]}\n" + solver,
         {"1:35: grid.length[0]: " + positive + "\".nan\"; it must be finite", "1:41: grid.length[1]: " + positive + "\"0\"",
          "1:44: grid.length[2]: " + positive + "\"-.inf\"; it must be finite"}},
        {"grid: {cells: [4, 5, 6], length: ['1', 1e400, 01.5]}\n" + solver,
         {"1:35: grid.length[0]: " + positive + "the quoted text \"1\"; remove the quotes",
          "1:40: grid.length[1]: " + positive + "\"1e400\"; it is out of double's range",
          "1:47: grid.length[2]: " + positive + "\"01.5\"; remove the leading zero, which some YAML readers take for octal"}},
        {"grid: {cells: [4, 5, 6], length: [0x1, 1..2, e5]}\n" + solver,
         {"1:35: grid.length[0]: " + positive + "\"0x1\"; write it in decimal", "1:40: grid.length[1]: " + positive + "\"1..2\"",
          "1:46: grid.length[2]: " + positive + "\"e5\""}},
        {grid + "solver: {iterations: 7, tolerance: -1e-6}\n",
         {"2:36: solver.tolerance: expected a number >= 0, found \"-1e-6\""}},
        {minimal + "comm: {timeout_s: 0}\n", {"3:19: comm.timeout_s: expected a number > 0 and <= 1000000000, found \"0\""}},
        {minimal + "comm: {timeout_s: 2e9}\n", {"3:19: comm.timeout_s: expected a number > 0 and <= 1000000000, found \"2e9\""}},
        {minimal + "problem: {faces: {x-: inf}}\n",
         {"3:23: problem.faces.x-: expected a number, found \"inf\"; it must be finite"}},
    });
}

TEST(DeckValues, WordsBoolsAndPaths) {
    const std::string boolean = "expected true or false, found ";
    expect_errors({
        {"grid: {cells: [4, 5, 6], periodic: [yes, on, 'true']}\n" + solver,
         {"1:37: grid.periodic[0]: " + boolean + "\"yes\"", "1:42: grid.periodic[1]: " + boolean + "\"on\"",
          "1:46: grid.periodic[2]: " + boolean + "the quoted text \"true\"; remove the quotes"}},
        {minimal + "comm: {overlap: 1, force: tRUE}\n",
         {"3:17: comm.overlap: " + boolean + "\"1\"", "3:27: comm.force: " + boolean + "\"tRUE\""}},
        {minimal + "problem: {kind: laplac}\n",
         {"3:17: problem.kind: expected laplace, poisson, eigenmode or random, found \"laplac\""}},
        {grid + "solver: {iterations: 7, precision: fp64}\n",
         {"2:36: solver.precision: expected double or float, found \"fp64\""}},
        {minimal + "comm: {sync: [flag]}\n",
         {"3:14: comm.sync: expected auto, barrier, event, stream, flag or persistent, found a list of 1"}},
        {minimal + "comm: {transport: self}\n", {"3:19: comm.transport: expected auto, ipc, shm, mpi or nccl, found \"self\""}},
        {minimal + "device: {backend: gpu}\n", {"3:19: device.backend: expected auto, cuda or host, found \"gpu\""}},
        {minimal + "verify: {kind: true}\n", {"3:16: verify.kind: expected auto, none, exact or reference, found \"true\""}},
        {minimal + "output: {file: 12}\n",
         {"3:16: output.file: expected a path or none, found \"12\"; quote it if this is the file's name"}},
        {minimal + "output: {file: on}\n",
         {"3:16: output.file: expected a path or none, found \"on\"; quote it if this is the file's name"}},
        {minimal + "device: {plan: none}\n", {"3:16: device.plan: expected auto, measure or a path, found \"none\""}},
        {minimal + "device: {plan: [auto]}\n", {"3:16: device.plan: expected auto, measure or a path, found a list of 1"}},
        {minimal + "device: {plan: 3}\n",
         {"3:16: device.plan: expected auto, measure or a path, found \"3\"; quote it if this is the file's name"}},
        {minimal + "output: {file: \"\"}\nreport: {csv: \"a\\nb\"}\n",
         {"3:16: output.file: expected a path or none, found the quoted text \"\"",
          "4:15: report.csv: expected a path or none, found the quoted text \"a b\"; control characters are not allowed"}},
    });
}

TEST(DeckValues, Grid) {
    const std::string overflow = "grid.cells: expected a grid whose bytes fit in 64 bits, found ";
    expect_errors({
        {"grid: {cells: [3000000, 3000000, 3000000]}\n" + solver, {"1:15: " + overflow + "3000000 x 3000000 x 3000000 cells"}},
        {"grid: {cells: [9223372036854775807, 1, 1]}\n" + solver, {"1:15: " + overflow + "9223372036854775807 x 1 x 1 cells"}},
        // 8 (n + 2) 3 * 3 exceeds 2^63 by the halos alone
        {"grid: {cells: [128102389400760775, 1, 1]}\n" + solver, {"1:15: " + overflow + "128102389400760775 x 1 x 1 cells"}},
        {"grid: {cells: [4, 5, 6], length: [1e-200, 1, 1]}\n" + solver,
         {"1:34: grid.length: expected lengths whose 2/h^2, summed over the axes, fits in double, found inf"}},
        {"grid: {cells: [4, 5, 6], length: [1e-20, 1, 1]}\nsolver: {iterations: 7, precision: float}\n",
         {"1:34: grid.length: expected lengths whose 2/h^2, summed over the axes, fits in float, found 5e+41"}},
    });
    Support deep = full_build();
    deep.max_temporal_depth = deep.max_halo_depth = std::numeric_limits<int>::max();
    const std::string layers = "expected halo layers whose bytes around the grid fit in 64 bits, found ";
    expect_errors(
        {{minimal + "comm: {halo_depth: 2147483647}\n", {"3:20: comm.halo_depth: " + layers + "2147483647"}},
         {grid + "solver: {iterations: 7, temporal_depth: 600000}\n", {"2:41: solver.temporal_depth: " + layers + "600000"}},
         {grid + "solver: {iterations: 7, temporal_depth: 8}\ncomm: {halo_depth: 600000}\n",
          {"3:20: comm.halo_depth: " + layers + "600000"}},
         {"grid: {cells: [3000000, 3000000, 3000000]}\nsolver: {iterations: 7, temporal_depth: 600000}\n",
          {"1:15: " + overflow + "3000000 x 3000000 x 3000000 cells"}}},
        deep);
    EXPECT_TRUE(read_deck("grid: {cells: [128102389400760773, 1, 1]}\n" + solver, "d.yaml", {}, host_build()).ok());
}

TEST(DeckValues, Problem) {
    const std::string periodic = "grid: {cells: [4, 5, 6], periodic: [true, true, false]}\n" + solver;
    const std::string all_periodic = "grid: {cells: [4, 5, 6], periodic: [true, true, true]}\n" + solver;
    expect_errors({
        {periodic + "problem: {faces: {x-: 1, z-: 1, y+: 0}}\n",
         {"3:19: problem.faces.x-: the x axis is periodic and has no faces; expected no such key",
          "3:33: problem.faces.y+: the y axis is periodic and has no faces; expected no such key"}},
        {minimal + "problem: {kind: poisson, faces: {x-: 1}, seed: 1}\n",
         {"3:26: problem.faces: expected only where problem.kind is laplace or random, found with poisson",
          "3:42: problem.seed: expected only where problem.kind is random, found with poisson"}},
        {minimal + "problem: {mode: [1, 1, 1]}\n",
         {"3:11: problem.mode: expected only where problem.kind is eigenmode or poisson, found with laplace"}},
        {minimal + "problem: {kind: eigenmode, mode: [5, 0, 7]}\n",
         {"3:35: problem.mode[0]: expected 1 to 4 on the x axis (4 cells), found 5",
          "3:38: problem.mode[1]: expected 1 to 5 on the y axis (5 cells), found 0",
          "3:41: problem.mode[2]: expected 1 to 6 on the z axis (6 cells), found 7"}},
        {periodic + "problem: {kind: eigenmode, mode: [3, 3, 1]}\n",
         {"3:35: problem.mode[0]: expected 0 to 2 on the x axis (4 cells, periodic), found 3",
          "3:38: problem.mode[1]: expected 0 to 2 on the y axis (5 cells, periodic), found 3"}},
        {"grid: {cells: [1, 4, 4], periodic: [true, true, false]}\n" + solver + "problem: {kind: eigenmode}\n",
         {"3:17: problem.mode[0]: expected 0 to 0 on the x axis (1 cells, periodic), found 1, the default; give problem.mode"}},
        {all_periodic + "problem: {kind: poisson, mode: [0, 0, 0]}\n",
         {"3:32: problem.mode: expected a mode other than 0 on some axis, found [0, 0, 0], whose right-hand side is zero"}},
        {grid + "solver: {iterations: 7, precision: float}\nproblem: {faces: {x-: -1e39}}\n",
         {"3:23: problem.faces.x-: expected a number that fits in float, found -1e+39"}},
        {minimal + "problem: {kind: random}\nverify: {kind: exact}\n",
         {"4:16: verify.kind: expected auto, none or reference, found exact: the random problem has no closed form"}},
    });
}

TEST(DeckValues, Ranks) {
    expect_errors({
        {minimal + "comm: {ranks: [5, 5, 7]}\n",
         {"3:16: comm.ranks[0]: expected at most 4 ranks, one a cell of the x axis, found 5",
          "3:22: comm.ranks[2]: expected at most 6 ranks, one a cell of the z axis, found 7"}},
        {"grid: {cells: [99999, 99999, 4]}\n" + solver + "comm: {ranks: [99999, 99999, 1]}\n",
         {"3:15: comm.ranks: expected at most 2147483647 ranks in all, found 99999 x 99999 x 1"}},
    });
}

TEST(DeckValues, Files) {
    expect_errors({
        {minimal + "output: {every: 3, overwrite: false, compression: 1}\n",
         {"3:10: output.every: expected together with output.file, found without",
          "3:20: output.overwrite: expected together with output.file, found without",
          "3:38: output.compression: expected together with output.file, found without"}},
        {minimal + "checkpoint: {every: 3}\n", {"3:14: checkpoint.every: expected together with checkpoint.file, found without"}},
        {minimal + "output: {file: a}\nreport: {file: a, csv: a}\n",
         {"4:16: report.file: expected a file of its own, found \"a\", which is output.file too",
          "4:24: report.csv: expected a file of its own, found \"a\", which is output.file too"}},
    });
}

TEST(DeckValues, LackingInThisBuild) {
    const std::string deck = grid +
                             "solver: {iterations: 7, temporal_depth: 2}\n"
                             "comm: {sync: flag, transport: nccl, halo_depth: 3, ablate: no_sync, virtual_nodes: 2}\n"
                             "device: {backend: cuda}\n"
                             "checkpoint: {file: a, every: 3}\n";
    expect_errors({{deck,
                    {"2:41: solver.temporal_depth: 2 is not in this build; expected auto or 1",
                     "3:14: comm.sync: flag is not in this build; expected auto, barrier or event",
                     "3:31: comm.transport: nccl is not in this build; expected auto or shm",
                     "3:49: comm.halo_depth: 3 is not in this build; expected auto or 1",
                     "3:60: comm.ablate: ablations are not in this build; expected none",
                     "3:84: comm.virtual_nodes: virtual nodes are not in this build; expected 1",
                     "4:19: device.backend: cuda is not in this build; expected auto or host",
                     "5:20: checkpoint.file: checkpoints are not in this build; expected none"}}});
    EXPECT_TRUE(read_deck(deck, "d.yaml", {}, full_build()).ok());
    expect_errors(
        {{minimal + "comm: {halo_depth: 9}\n", {"3:20: comm.halo_depth: 9 is not in this build; expected auto or 1 to 8"}},
         {grid + "solver: {iterations: 7, temporal_depth: 3}\ncomm: {halo_depth: 2}\n",
          {"3:20: comm.halo_depth: expected at least 3, solver.temporal_depth, found 2"}}},
        full_build());
}

}  // namespace
}  // namespace jacobi::testing
