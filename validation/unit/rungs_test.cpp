// Which rung `auto` takes, and what it says of those that it did not.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sync/synchroniser.hpp"

namespace jacobi {
namespace {

/// What pick_rung makes of these refusals, by rung.
RungChoice pick(const std::string& asked, const std::string& backend, const RungPreference& preferred,
                const std::map<std::string, std::string>& refusals = {}) {
    return pick_rung(asked, backend, preferred, [&](const Rung& rung) {
        const auto found = refusals.find(rung.name);
        return found == refusals.end() ? std::string() : found->second;
    });
}

const RungPreference none, persistent{"persistent", "it is short"};

std::string name(const RungChoice& choice) { return choice.rung != nullptr ? choice.rung->name : "none"; }

TEST(Rungs, WithoutAPreferenceTheFirstOfTheLadder) {
    const RungChoice choice = pick("auto", "host", none);
    EXPECT_EQ(name(choice), "event");
    EXPECT_EQ(choice.reason, choice.rung->summary);
}

TEST(Rungs, ThePreferredOneComesFirst) {
    for (const char* backend : {"cuda", "host"}) {
        const RungChoice choice = pick("auto", backend, persistent);
        EXPECT_EQ(name(choice), "persistent");
        EXPECT_EQ(choice.reason, "it is short");
    }
}

TEST(Rungs, WhatIsPreferred) {
    EXPECT_EQ(preferred_rung(true, false).rung, "persistent");
    EXPECT_EQ(preferred_rung(true, true).rung, "persistent");
    EXPECT_EQ(preferred_rung(false, true).rung, "flag");
    EXPECT_EQ(preferred_rung(false, false).rung, "");
    for (const bool launch_bound : {false, true}) EXPECT_FALSE(preferred_rung(launch_bound, true).reason.empty());
}

TEST(Rungs, RefusalsAreTheReasonForTheNextOne) {
    const RungChoice choice = pick("auto", "host", persistent, {{"persistent", "no room"}, {"event", "no events"}});
    EXPECT_EQ(name(choice), "stream");
    EXPECT_EQ(choice.reason, "persistent: no room; event: no events");
}

TEST(Rungs, OneThatIsAskedForIsTakenOrNone) {
    for (const RungPreference& preferred : {none, persistent}) {
        EXPECT_EQ(name(pick("barrier", "host", preferred)), "barrier");
        EXPECT_EQ(pick("barrier", "host", preferred).reason, "asked for");
        const RungChoice refused = pick("flag", "host", preferred, {{"flag", "the reason"}});
        EXPECT_EQ(name(refused), "none");
        EXPECT_NE(refused.reason.find("flag: the reason"), std::string::npos) << refused.reason;
    }
}

TEST(Rungs, OnlyThoseThatAreTriedAreExamined) {
    std::vector<std::string> examined;
    pick_rung("auto", "host", persistent, [&](const Rung& rung) {
        examined.push_back(rung.name);
        return examined.size() == 1 ? "refused" : "";
    });
    EXPECT_EQ(examined, (std::vector<std::string>{"persistent", "event"}));
}

}  // namespace
}  // namespace jacobi
