// What the host back end decides at set-up: where the levels between those of a deep pass lie, and what is done in one go.
#include <gtest/gtest.h>

#include <vector>

#include "backend.hpp"
#include "host/scratch.hpp"

namespace jacobi::host {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

TEST(Scratch, LiesInALargeOwnCache) {
    for (const std::int64_t share : {0 * mib, 2 * mib, 50 * mib}) {
        for (const std::int64_t own : {1 * mib, 2 * mib}) {
            const ScratchPlace place = place_scratch(own, share);
            EXPECT_FALSE(place.shared);
            EXPECT_EQ(place.bytes, own * 5 / 8);
        }
    }
}

TEST(Scratch, LiesInTheSharedCacheWhereTheOwnOneIsSmall) {
    EXPECT_TRUE(place_scratch(512 * kib, 4 * mib).shared);
    EXPECT_EQ(place_scratch(512 * kib, 4 * mib).bytes, 3 * mib);
    EXPECT_EQ(place_scratch(512 * kib, 2 * mib).bytes, 3 * mib / 2);
    EXPECT_EQ(place_scratch(512 * kib, 256 * mib).bytes, 3 * mib);  // more does not help
}

TEST(Scratch, StaysInASmallOwnCacheWhereTheSharedOneHasNoMore) {
    for (const std::int64_t share : {0 * kib, 300 * kib}) {
        EXPECT_FALSE(place_scratch(512 * kib, share).shared);
        EXPECT_EQ(place_scratch(512 * kib, share).bytes, 320 * kib);
    }
}

TEST(Scratch, CountsTheProcessorsOfAList) {
    EXPECT_EQ(processors_in("0"), 1);
    EXPECT_EQ(processors_in("0-1"), 2);
    EXPECT_EQ(processors_in("0-7,64-71"), 16);
    EXPECT_EQ(processors_in("0,2,4-5"), 4);
    EXPECT_EQ(processors_in(""), 0);
    EXPECT_EQ(processors_in("none"), 0);
}

TEST(Scratch, SharesOfThisMachineAreWholeBytesOrNone) {
    EXPECT_GT(core_cache_bytes(), 0);
    EXPECT_GE(last_cache_share(), 0);
}

/// Is the boundary of such a block advanced apart from its interior, with a neighbour at one face?
bool boundary_apart(int depth, int face, bool messages) {
    BlockSetup setup;
    setup.problem.grid.cells = {40, 40, 40};
    setup.block = {{0, 0, 0}, {20, 20, 20}};
    setup.layout = FieldLayout(setup.block.extent(), depth, sizeof(double));
    setup.temporal_depth = depth;
    setup.messages = messages;
    std::vector<double> fields[2];
    for (int i = 0; i < 2; ++i) {
        fields[i].resize(setup.layout.bytes / sizeof(double));
        setup.fields[i] = reinterpret_cast<std::byte*>(fields[i].data());
    }
    HaloTarget& target = setup.targets[static_cast<std::size_t>(Direction::face(face).code)];
    target.origin = setup.fields;  // set-up looks at no more than whether there is one
    const auto backend = make_host_backend(Precision::float64, 1);
    backend->setup(setup);
    return backend->boundary_apart();
}

TEST(HostBackend, AdvancesABlockInOneGoWhereADeepPassHasANeighbourAcrossX) {
    for (const int face : {0, 1}) {
        EXPECT_FALSE(boundary_apart(4, face, false));
        EXPECT_TRUE(boundary_apart(4, face, true));  // messages travel while the interior is advanced
        EXPECT_TRUE(boundary_apart(1, face, false));
    }
    for (const int face : {2, 3, 4, 5}) EXPECT_TRUE(boundary_apart(4, face, false));
}

}  // namespace
}  // namespace jacobi::host
