// Which device each rank of a node takes. Devices are told apart by UUID; ordinals mean something to one rank only.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "placement.hpp"

namespace jacobi {
namespace {

/// A rank that sees the devices with these letters, in this order.
RankDevices sees(const std::string& letters, int numa = -1, const std::map<char, int>& numa_of = {}) {
    RankDevices rank;
    rank.numa = numa;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const auto found = numa_of.find(letters[i]);
        rank.devices.push_back(
            {static_cast<int>(i), "GPU", std::string("GPU-") + letters[i], "", found == numa_of.end() ? -1 : found->second});
    }
    return rank;
}

/// The letters of the devices taken, in node-rank order.
std::string taken(const std::vector<RankDevices>& ranks) {
    const std::vector<int> chosen = assign_devices(ranks);
    EXPECT_EQ(chosen.size(), ranks.size());
    std::string letters;
    for (std::size_t r = 0; r < ranks.size(); ++r) letters += ranks[r].devices.at(chosen[r]).uuid.back();
    return letters;
}

TEST(Placement, GivesEachRankADeviceOfItsOwnWhereAllSeeAll) {
    EXPECT_EQ(taken({sees("a")}), "a");
    EXPECT_EQ(taken({sees("abcd"), sees("abcd"), sees("abcd"), sees("abcd")}), "abcd");
    EXPECT_EQ(taken({sees("abcd"), sees("abcd")}), "ab");
}

TEST(Placement, TakesTheOneVisibleDeviceInAnyOrder) {
    EXPECT_EQ(taken({sees("a"), sees("b"), sees("c")}), "abc");
    EXPECT_EQ(taken({sees("c"), sees("a"), sees("b")}), "cab");
}

TEST(Placement, ComparesDevicesAcrossRanksThatListThemDifferently) {
    // Ordinal 0 is another device for each rank; ordinals alone would put both on ordinal 0 or clash.
    EXPECT_EQ(taken({sees("ab"), sees("ba")}), "ab");
    EXPECT_EQ(assign_devices({sees("ab"), sees("ba")}), (std::vector<int>{0, 0}));
    EXPECT_EQ(taken({sees("ab"), sees("ab"), sees("ba"), sees("ba")}), "abba");
    EXPECT_EQ(taken({sees("ab"), sees("a")}), "aa");  // rank 1 has no choice, rank 0 has chosen before it
    EXPECT_EQ(taken({sees("a"), sees("ab")}), "ab");
}

TEST(Placement, SharesDevicesEvenly) {
    for (const std::size_t ranks : {1, 2, 3, 7, 8, 13}) {
        for (const std::string& devices : {std::string("a"), std::string("ab"), std::string("abc"), std::string("abcd")}) {
            std::map<char, std::size_t> load;
            for (const char d : taken(std::vector<RankDevices>(ranks, sees(devices)))) ++load[d];
            for (const auto& [device, count] : load) {
                EXPECT_GE(count, ranks / devices.size()) << device;
                EXPECT_LE(count, (ranks + devices.size() - 1) / devices.size()) << device;
            }
        }
    }
}

TEST(Placement, PrefersADeviceNearTheRanksNumaNode) {
    const std::map<char, int> numa{{'a', 0}, {'b', 0}, {'c', 1}, {'d', 1}};
    EXPECT_EQ(taken({sees("abcd", 1, numa), sees("abcd", 0, numa), sees("abcd", 1, numa), sees("abcd", 0, numa)}), "cadb");
    EXPECT_EQ(taken({sees("abcd", -1, numa), sees("abcd", 0, numa)}), "ab");  // bound to no node: the first
}

TEST(Placement, PrefersAFreeDeviceOverANearOne) {
    const std::map<char, int> numa{{'a', 0}, {'b', 1}};
    EXPECT_EQ(taken({sees("ab", 0, numa), sees("ab", 0, numa), sees("ab", 0, numa)}), "aba");
}

}  // namespace
}  // namespace jacobi
