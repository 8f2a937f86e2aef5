// Which rung `auto` takes, and what it says of those that it did not.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sync/synchroniser.hpp"

namespace jacobi {
namespace {

/// What pick_rung makes of these refusals, by rung.
RungChoice pick(const std::string& asked, const std::string& backend, bool launch_bound,
                const std::map<std::string, std::string>& refusals = {}) {
    return pick_rung(asked, backend, launch_bound, [&](const Rung& rung) {
        const auto found = refusals.find(rung.name);
        return found == refusals.end() ? std::string() : found->second;
    });
}

std::string name(const RungChoice& choice) { return choice.rung != nullptr ? choice.rung->name : "none"; }

TEST(Rungs, LongPassesTakeTheFirstOfTheLadder) {
    const RungChoice choice = pick("auto", "host", false);
    EXPECT_EQ(name(choice), "event");
    EXPECT_EQ(choice.reason, choice.rung->summary);
}

TEST(Rungs, PassesAsShortAsLaunchesTakePersistent) {
    for (const char* backend : {"cuda", "host"}) {
        const RungChoice choice = pick("auto", backend, true);
        EXPECT_EQ(name(choice), "persistent");
        EXPECT_NE(choice.reason.find("as short as a launch"), std::string::npos) << choice.reason;
    }
}

TEST(Rungs, RefusalsAreTheReasonForTheNextOne) {
    const RungChoice choice = pick("auto", "host", true, {{"persistent", "no room"}, {"event", "no events"}});
    EXPECT_EQ(name(choice), "stream");
    EXPECT_EQ(choice.reason, "persistent: no room; event: no events");
}

TEST(Rungs, OneThatIsAskedForIsTakenOrNone) {
    for (const bool launch_bound : {false, true}) {
        EXPECT_EQ(name(pick("barrier", "host", launch_bound)), "barrier");
        EXPECT_EQ(pick("barrier", "host", launch_bound).reason, "asked for");
        const RungChoice refused = pick("flag", "host", launch_bound, {{"flag", "the reason"}});
        EXPECT_EQ(name(refused), "none");
        EXPECT_NE(refused.reason.find("flag: the reason"), std::string::npos) << refused.reason;
    }
}

TEST(Rungs, OnlyThoseThatAreTriedAreExamined) {
    std::vector<std::string> examined;
    pick_rung("auto", "host", true, [&](const Rung& rung) {
        examined.push_back(rung.name);
        return examined.size() == 1 ? "refused" : "";
    });
    EXPECT_EQ(examined, (std::vector<std::string>{"persistent", "event"}));
}

}  // namespace
}  // namespace jacobi
