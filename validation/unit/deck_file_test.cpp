// Deck files as files, and the page that lists their keys.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "deck_schema.hpp"
#include "deck_testing.hpp"

namespace jacobi::testing {
namespace {

TEST(DeckFile, ReadsBytesAsTheyAre) {
    const std::string path = ::testing::TempDir() + "deck_file_test.yaml";
    const std::string bytes("a\r\n\0b\xff", 6);
    std::ofstream(path, std::ios::binary) << bytes;
    std::string error;
    EXPECT_EQ(load_text(path, error), bytes);
    std::filesystem::remove(path);
}

TEST(DeckFile, SaysWhatCannotBeRead) {
    std::string error;
    EXPECT_EQ(load_text("/nonexistent/d.yaml", error), std::nullopt);
    EXPECT_EQ(error, "/nonexistent/d.yaml: cannot be read: No such file or directory");
    EXPECT_EQ(load_text("/", error), std::nullopt);
    EXPECT_EQ(error, "/: cannot be read: it is a directory; name a file in it");
    EXPECT_EQ(load_text("/dev/zero", error), std::nullopt);
    EXPECT_EQ(error, "/dev/zero: cannot be read: it is a device, and only regular files are read; copy its text into one");
}

TEST(DeckFile, IsNotReadWithoutBound) {
    const std::string path = ::testing::TempDir() + "deck_file_test_long.yaml";
    std::ofstream(path) << "#";
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40);  // a hole
    std::string error;
    const auto text = load_text(path, error);
    std::filesystem::remove(path);
    ASSERT_TRUE(text);
    EXPECT_EQ(lines(read_deck(*text, "d.yaml", {}, host_build())),
              std::vector<std::string>{"d.yaml:1:1: longer than 1 MiB: this is no deck"});
}

TEST(DeckFile, ReadmeListsEveryKey) {
    std::string error;
    const auto readme = load_text(std::string(JACOBI_INPUTS) + "/README.md", error);
    ASSERT_TRUE(readme) << error;
    const std::vector<std::string> keys = deck::all_keys();
    EXPECT_EQ(keys.size(), 33u);
    for (const std::string& key : keys) {
        EXPECT_NE(readme->find("| `" + key + "` |"), std::string::npos) << key << " has no row in inputs/README.md";
    }
}

}  // namespace
}  // namespace jacobi::testing
