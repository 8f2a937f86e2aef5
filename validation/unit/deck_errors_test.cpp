// Bad decks: faults of the text, the structure and the keys, each deck with all its messages in order.
#include <gtest/gtest.h>

#include "deck_testing.hpp"

namespace jacobi::testing {
namespace {

std::string repeat(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

const std::string empty_deck = "1:1: expected a map of sections (grid, problem, solver, ...), found nothing: the deck is empty";

TEST(DeckErrors, Document) {
    expect_errors({
        {"", {empty_deck}},
        {"# a comment and nothing else\n", {empty_deck}},
        {"~\n", {empty_deck}},
        {"hello\n", {"1:1: expected a map of sections (grid, problem, solver, ...), found \"hello\""}},
        {"- grid\n", {"1:1: expected a map of sections (grid, problem, solver, ...), found a list of 1"}},
        {"grid:nx 10\n",
         {"1:1: expected a map of sections (grid, problem, solver, ...), found \"grid:nx 10\"; a space belongs after the colon"}},
        {minimal + "---\n" + minimal, {"3:1: a second document starts here; a deck is one document"}},
        {minimal + "---\n", {"3:1: a second document starts here; a deck is one document"}},
        {"#" + repeat("x", 1 << 20) + "\n", {"1:1: longer than 1 MiB: this is no deck"}},
    });
}

TEST(DeckErrors, Bytes) {
    expect_errors({
        {"grid: \xff\n", {"1:7: byte 0xff is not text in UTF-8"}},
        {"# \xc3\xa9\xc3\xa9 \xc3(\n", {"1:6: byte 0xc3 is not text in UTF-8"}},
        {"\n\n# \xed\xa0\x80 (a surrogate)\n", {"3:3: byte 0xed is not text in UTF-8"}},
        {"# \xc0\xaf (overlong)\n", {"1:3: byte 0xc0 is not text in UTF-8"}},
        {"# cut off \xe2\x82", {"1:11: byte 0xe2 is not text in UTF-8"}},
        {minimal + std::string("\0", 1), {"3:1: byte 0x00 is not text in UTF-8"}},
        {"\xff\xfeg\1r\1", {"1:1: byte 0xff is not text in UTF-8"}},  // UTF-16
        {"\x89HDF\r\n\x1a\n", {"1:1: byte 0x89 is not text in UTF-8"}},
    });
}

TEST(DeckErrors, Syntax) {
    expect_errors({
        {minimal + "output: {file: \"abc\n", {"3:16: this \" quote is never closed"}},
        {minimal + "output:\n  file: 'it''s\n", {"4:9: this ' quote is never closed"}},
        {minimal + "output:\n  file: &f \"a\\\"\n", {"4:9: this \" quote is never closed"}},
        {"grid: {cells: [4, 5, 6]\n", {"2:1: not valid YAML: *"}},
        {"grid:\n\tcells: [4, 5, 6]\n", {"2:7: not valid YAML: *"}},
        {"grid: {cells: *undefined}\n" + solver, {"1:15: not valid YAML: *"}},
        {"grid:\n  cells: [4, 5, 6]\n length: [1, 1, 1]\n", {"3:2: not valid YAML: *"}},
        {repeat("[", 20000), {"1:1: nested too deeply: this is no deck"}},
        {repeat("{a: ", 20000), {"1:1: nested too deeply: this is no deck"}},
        {repeat("- ", 20000), {"1:1000: nested too deeply: this is no deck"}},
    });
}

TEST(DeckErrors, AliasesMergesAndTags) {
    const std::string alias = "an alias may stand for a value or a list of values only; write this one out";
    std::string laughs = "a: &a0 [lol]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string previous = "*a" + std::to_string(i - 1);
        laughs += "b" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + previous + ", " + previous + "]\n";
    }
    const std::string long_value = "a: &a " + repeat("x", 20000) + "\nb: [" + repeat("*a, ", 100) + "*a]\n";
    expect_errors({
        {"grid: &g {cells: [4, 5, 6]}\nsolver: *g\n", {"2:9: " + alias}},
        {"grid: &g [*g]\n" + solver, {"1:11: " + alias}},
        {laughs, {"3:10: " + alias}},
        {long_value, {"2:*"}},
        {"grid: {<<: {cells: [4, 5, 6]}}\n" + solver, {"1:8: grid.<<: merge keys are not supported; write the keys out"}},
        {"<<: {grid: {cells: [4, 5, 6]}}\n" + solver, {"1:1: <<: merge keys are not supported; write the keys out"}},
        {"grid: {cells: [!!int 4, 5, !mine 6]}\n" + solver,
         {"1:16: tags are not supported, found \"!!int\"; remove it",
          "1:28: tags are not supported, found \"!mine\"; remove it"}},
    });
}

TEST(DeckErrors, Structure) {
    expect_errors({
        {"grid:\n" + solver, {"1:1: grid: expected a map of keys, found nothing"}},
        {"grid: 4\n" + solver, {"1:7: grid: expected a map of keys, found \"4\""}},
        {"grid: [4, 5, 6]\n" + solver, {"1:7: grid: expected a map of keys, found a list of 3"}},
        {"grid:\n  cells:[4, 5, 6]\n" + solver,
         {"2:3: grid: expected a map of keys, found \"cells:[4, 5, 6]\"; a space belongs after the colon"}},
        {"[a, b]: 1\n" + minimal, {"1:1: expected a key, found a list of 2"}},
        {minimal + "problem: {faces: 1}\n", {"3:18: problem.faces: expected a map of keys, found \"1\""}},
        {"grid: {cells: [4, 5, 6], cells: [4, 5, 6]}\n" + solver,
         {"1:26: grid.cells: duplicate key; first given at line 1, column 8"}},
        {"grid: {cells: [4, 5, 6]}\nsolver:\n  iterations: 1\ngrid: {length: [1, 1, 1]}\n",
         {"4:1: grid: duplicate key; first given at line 1, column 1"}},
        {minimal + "problem: {faces: {x-: 1, \"x-\": 2}}\n",
         {"3:26: problem.faces.x-: duplicate key; first given at line 3, column 19"}},
        {minimal + "output: {fle: a, fle: b}\n",
         {"3:10: output.fle: unknown key; the nearest valid key is output.file",
          "3:18: output.fle: duplicate key; first given at line 3, column 10"}},
    });
}

TEST(DeckErrors, Missing) {
    expect_errors({
        {"{}\n",
         {"1:1: grid.cells: missing; expected [nx, ny, nz]", "1:1: solver.iterations: missing; expected an integer >= 0"}},
        {solver + "grid: {length: [1, 1, 1]}\n", {"2:1: grid.cells: missing; expected [nx, ny, nz]"}},
        {grid + "solver: {check_every: 5}\n", {"2:1: solver.iterations: missing; expected an integer >= 0"}},
        {"grid: {cells: }\n" + solver, {"1:8: " + cells_list + "nothing"}},
        {"grid:\n  cells:\n  length: ~\n" + solver,
         {"2:3: " + cells_list + "nothing", "3:3: grid.length: expected a list [lx, ly, lz], each a number > 0, found nothing"}},
        {grid + "solver: {iterations}\n", {"2:10: solver.iterations: expected an integer >= 0, found nothing"}},
        {minimal + "output: {file: }\n", {"3:10: output.file: expected a path or none, found nothing"}},
    });
}

TEST(DeckErrors, UnknownKeys) {
    const std::string nearest = "unknown key; the nearest valid key is ";
    expect_errors({
        {"gird: {cells: [4, 5, 6]}\n" + solver, {"1:1: gird: " + nearest + "grid"}},
        {"Grid: {cells: [4, 5, 6]}\n" + solver, {"1:1: Grid: " + nearest + "grid"}},
        {"grid: {cell: [4, 5, 6]}\n" + solver, {"1:8: grid.cell: " + nearest + "grid.cells"}},
        {"cells: [4, 5, 6]\n" + solver, {"1:1: cells: " + nearest + "grid.cells"}},
        {"grid.cells: [4, 5, 6]\n" + solver,
         {"1:1: grid.cells: " + nearest + "grid.cells; in a deck each part has a line of its own"}},
        {minimal + "comm: {temporal_depth: 1}\n", {"3:8: comm.temporal_depth: " + nearest + "solver.temporal_depth"}},
        {minimal + "output: {evry: 5, file: a}\n", {"3:10: output.evry: " + nearest + "output.every"}},
        {minimal + "problem: {faces: {x: 1}}\n", {"3:19: problem.faces.x: " + nearest + "problem.faces.x-"}},
        {minimal + "report: {colour: red}\n", {"3:10: report.colour: " + nearest + "report.file"}},
        {minimal + "output: {file:a}\n", {"3:10: output.file:a: " + nearest + "output.file; a space belongs after the colon"}},
        {grid + "solver: {wibble: 1}\n",
         {"2:1: solver.iterations: missing; expected an integer >= 0", "2:10: solver.wibble: " + nearest + "solver.tolerance"}},
    });
}

TEST(DeckErrors, AllAtOnceInOrderOfPlace) {
    expect_errors(
        {{"comm: {overlap: maybe}\n"
          "grid:\n"
          "  periodic: [true, false, 0]\n"
          "  cells: [0, 5, 6]\n"
          "solver: {iterations: 7, precison: double}\n"
          "problem: {seed: 4}\n",
          {"1:17: comm.overlap: expected true or false, found \"maybe\"",
           "3:27: grid.periodic[2]: expected true or false, found \"0\"",
           "4:11: grid.cells[0]: expected an integer >= 1, found \"0\"",
           "5:25: solver.precison: unknown key; the nearest valid key is solver.precision",
           "6:11: problem.seed: expected only where problem.kind is random, found with laplace"}}});
}

/// Marks count bytes; messages count characters.
TEST(DeckErrors, ColumnsCountCharacters) {
    expect_errors({{minimal + "output: {file: \"\xc3\xa9\xe2\x82\xac\", evry: 5}\n",
                    {"3:22: output.evry: unknown key; the nearest valid key is output.every"}}});
}

TEST(DeckErrors, LongAndOddTextStaysOneShortLine) {
    const DeckResult result =
        read_deck(minimal + "problem: {kind: \"" + repeat("ab\\n", 1000) + "\"}\n", "d.yaml", {}, host_build());
    ASSERT_EQ(result.errors.size(), 1u);
    EXPECT_LT(result.errors[0].message.size(), 200u);
    EXPECT_EQ(result.errors[0].message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace jacobi::testing
