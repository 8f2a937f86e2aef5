// Command line of jacobi.
#include "options.hpp"

#include <gtest/gtest.h>

namespace jacobi {
namespace {

using Result = std::variant<Options, Ended>;

Result parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "jacobi");
    return parse_options(static_cast<int>(arguments.size()), arguments.data(), "jacobi 1.2.3");
}

Ended ended(const Result& result) {
    if (const Ended* e = std::get_if<Ended>(&result)) return *e;
    ADD_FAILURE() << "the command line was taken";
    return {Exit::success, ""};
}

TEST(Options, Deck) {
    const Result result = parse({"cube.yaml"});
    const Options& o = std::get<Options>(result);
    EXPECT_EQ(o.deck, "cube.yaml");
    EXPECT_TRUE(o.overrides.empty());
    EXPECT_EQ(o.restart, "");
    EXPECT_EQ(o.report, "");
    EXPECT_FALSE(o.dry_run || o.list || o.quiet || o.no_color);
}

TEST(Options, All) {
    const Result result = parse({"--set", "grid.cells=[1, 2, 3]", "--dry-run", "cube.yaml", "--set=a.b=c=d", "--restart", "c.h5",
                                 "--report", "r.json", "--list", "--quiet", "--no-color", "--set", "problem.faces.x-=-1"});
    const Options& o = std::get<Options>(result);
    EXPECT_EQ(o.deck, "cube.yaml");
    EXPECT_EQ(o.overrides, (std::vector<std::string>{"grid.cells=[1, 2, 3]", "a.b=c=d", "problem.faces.x-=-1"}));
    EXPECT_EQ(o.restart, "c.h5");
    EXPECT_EQ(o.report, "r.json");
    EXPECT_TRUE(o.dry_run && o.list && o.quiet && o.no_color);
}

TEST(Options, ListNeedsNoDeck) { EXPECT_TRUE(std::get<Options>(parse({"--list"})).list); }

TEST(Options, SetTakesOneValueSoThatTheDeckMayFollow) {
    EXPECT_EQ(std::get<Options>(parse({"--set", "a=1", "cube.yaml"})).deck, "cube.yaml");
}

TEST(Options, HelpAndVersion) {
    const Ended help = ended(parse({"--help"}));
    EXPECT_EQ(help.status, Exit::success);
    for (const char* part :
         {"DECK", "--set key.path=value", "--restart FILE", "--report FILE", "--dry-run", "--list", "--quiet", "--no-color",
          "--version", "Exit status:\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  4 ", "ranks that the grid cannot take",
          "killed by a signal", "interrupted", "written on 0, 3 and 4", "inputs/README.md"}) {
        EXPECT_NE(help.text.find(part), std::string::npos) << part;
    }
    const Ended version = ended(parse({"--version"}));
    EXPECT_EQ(version.status, Exit::success);
    EXPECT_EQ(version.text, "jacobi 1.2.3\n");
}

TEST(Options, Faults) {
    const auto expect = [](std::vector<const char*> arguments, const std::string& part) {
        const Ended fault = ended(parse(arguments));
        EXPECT_EQ(fault.status, Exit::usage) << part;
        EXPECT_NE(fault.text.find(part), std::string::npos) << fault.text;
        EXPECT_EQ(fault.text.find('\n'), fault.text.size() - 1) << "one line";
    };
    expect({}, "DECK is required");
    expect({"--quiet"}, "DECK is required");
    expect({"a.yaml", "b.yaml"}, "b.yaml");
    expect({"--colour", "a.yaml"}, "--colour");
    expect({"a.yaml", "--set"}, "--set");
    expect({"a.yaml", "--report"}, "--report");
    expect({"a.yaml", "--report", "x", "--report", "y"}, "--report");
    expect({"a.yaml", "--quiet=maybe"}, "quiet");
}

}  // namespace
}  // namespace jacobi
