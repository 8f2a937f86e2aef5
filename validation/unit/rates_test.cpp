// What bounds are measured with: the rows of a face, stores into them, and rounds of flags.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "backend.hpp"
#include "host/rates.hpp"

namespace jacobi {
namespace {

/// The bytes of a field that storing a face's rows changes must be the halo layer's cells, and padding behind its rows at most.
void expect_layer_stored(const FieldLayout& f, int axis, int parts) {
    const std::string where = std::to_string(f.extent[0]) + " x " + std::to_string(f.extent[1]) + " x " +
                              std::to_string(f.extent[2]) + ", " + std::to_string(f.element) + " bytes, axis " +
                              std::to_string(axis);
    constexpr std::byte untouched{0xa5};
    std::vector<std::byte> memory(f.bytes, untouched);
    Index3 first{0, 0, 0};
    first[axis] = -1;
    const StridedRows rows = face_rows(f, f.extent, axis);
    const std::uint64_t pattern = 0x0102030405060708;  // its bytes differ from the untouched ones
    for (int part = 0; part < parts; ++part) {
        host::store_rows(memory.data() + f.at(first[0], first[1], first[2]) * f.element, rows, pattern, part, parts);
    }
    std::vector<bool> may(f.bytes, false);
    Index3 hi = f.extent;
    hi[axis] = 1;
    for (Index z = 0; z < hi[2]; ++z) {
        for (Index y = 0; y < hi[1]; ++y) {
            const std::size_t row = f.at(first[0], first[1] + y, first[2] + z) * f.element;
            const std::size_t must = hi[0] * f.element;
            for (std::size_t i = 0; i < must; i += 4) {
                ASSERT_NE(std::memcmp(&memory[row + i], std::vector<std::byte>(4, untouched).data(), 4), 0) << where;
            }
            const std::size_t filled = axis == 0 ? must : (must + 15) / 16 * 16;
            for (std::size_t i = 0; i < filled; ++i) may[row + i] = true;
        }
    }
    for (std::size_t i = 0; i < f.bytes; ++i) ASSERT_TRUE(may[i] || memory[i] == untouched) << where << ", byte " << i;
}

TEST(Rates, StoresOfAFaceHitItsHaloLayer) {
    for (const std::size_t element : {8, 4}) {
        for (const Index nx : {1, 2, 7, 13, 16, 31, 33}) {
            for (int axis = 0; axis < 3; ++axis) {
                for (const int parts : {1, 3}) expect_layer_stored({{nx, 5, 3}, 1, element}, axis, parts);
            }
        }
    }
}

TEST(Rates, WordsOfTheRowsCountUp) {
    std::vector<std::uint64_t> words(20, 0);
    host::store_rows(reinterpret_cast<std::byte*>(words.data()), {16, {2, 2}, {32, 80}}, 7);
    EXPECT_EQ(words, (std::vector<std::uint64_t>{7, 8, 0, 0, 9, 10, 0, 0, 0, 0, 11, 12, 0, 0, 13, 14, 0, 0, 0, 0}));
}

TEST(Rates, FacesAreCutToWhatIsEnough) {
    const StridedRows rows{16, {100, 50}, {128, 128 * 100}};
    EXPECT_EQ(rows.bytes(), 80000u);
    EXPECT_EQ(rows.at_most(80000).bytes(), 80000u);
    EXPECT_EQ(rows.at_most(16000).bytes(), 16000u);
    EXPECT_EQ(rows.at_most(15999).bytes(), 9 * 1600u);
    EXPECT_EQ(rows.at_most(100).bytes(), 96u);
    EXPECT_EQ(rows.at_most(1).bytes(), 16u);
}

/// Two backends with a thread each raise each other's word.
class FlagRoundsTest : public ::testing::Test {
 protected:
    FlagLinks links(int mine, double timeout_s) {
        FlagLinks links;
        links.timeout_s = timeout_s;
        FlagLinks::Link link;
        link.direction = Direction::face(mine);
        link.own = &words[mine];
        link.there = &words[1 - mine];
        links.links.push_back(link);
        return links;
    }
    Generation words[2] = {0, 0};
    std::unique_ptr<Backend> backends[2] = {make_host_backend(Precision::float64, 1), make_host_backend(Precision::float64, 1)};
};

TEST_F(FlagRoundsTest, BothRaiseAndAwaitEveryRound) {
    FlagRounds results[2];
    std::thread other([&] { results[1] = backends[1]->flag_rounds(links(1, 20), 0, 20); });
    results[0] = backends[0]->flag_rounds(links(0, 20), 0, 20);
    other.join();
    for (const FlagRounds& result : results) {
        EXPECT_FALSE(result.timeout);
        EXPECT_GT(result.seconds, 0);
    }
    EXPECT_EQ(words[0], 20);
    EXPECT_EQ(words[1], 20);
}

TEST_F(FlagRoundsTest, AFlagThatDoesNotComeIsNamed) {
    words[0] = 1;  // the other is there for the first round only
    const FlagRounds result = backends[0]->flag_rounds(links(0, 0.05), 0, 20);
    ASSERT_TRUE(result.timeout);
    EXPECT_EQ(face_of(result.timeout->direction), 0);
    EXPECT_EQ(result.timeout->expected, 2);
    EXPECT_EQ(result.timeout->seen, 1);
}

TEST(Rates, OnTheHostNoBlockIsTooSmallForItsLaunches) {
    EXPECT_FALSE(make_host_backend(Precision::float64, 1)->launch_bound({{4, 4, 4}, 1, 8}));
}

}  // namespace
}  // namespace jacobi
