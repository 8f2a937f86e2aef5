// What the tests of the deck reader share.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "deck_reader.hpp"

namespace jacobi::testing {

/// A build of the host back end alone: the least that any build can do.
inline Support host_build() { return {.backends = {"host"}, .transports = {"shm"}, .rungs = {"barrier", "event"}}; }

/// A build that has all that the deck can name.
inline Support full_build() {
    return {.backends = {"host", "cuda"},
            .transports = {"ipc", "shm", "mpi", "nccl"},
            .rungs = {"barrier", "event", "stream", "flag", "persistent"},
            .max_halo_depth = 8,
            .max_temporal_depth = 4,
            .checkpoint = true,
            .ablation = true,
            .virtual_nodes = true};
}

/// The two keys that a deck must have, one line each.
inline const std::string grid = "grid: {cells: [4, 5, 6]}\n";
inline const std::string solver = "solver: {iterations: 7}\n";
inline const std::string minimal = grid + solver;

/// The messages as jacobi prints them.
inline std::vector<std::string> lines(const DeckResult& result) {
    std::vector<std::string> all;
    for (const DeckError& error : result.errors) all.push_back(error.where + ": " + error.message);
    return all;
}

struct BadDeck {
    std::string text;
    std::vector<std::string> errors;  ///< without "d.yaml:" in front
};

/// Compares all messages; an expected line that ends in * is compared up to there (the rest is yaml-cpp's own text).
inline void expect_errors(const std::vector<BadDeck>& decks, const Support& support = host_build()) {
    for (const BadDeck& deck : decks) {
        const std::vector<std::string> found = lines(read_deck(deck.text, "d.yaml", {}, support));
        std::vector<std::string> expected;
        for (std::size_t i = 0; i < deck.errors.size(); ++i) {
            std::string line = "d.yaml:" + deck.errors[i];
            if (line.back() == '*') {
                line.pop_back();
                if (i < found.size() && found[i].starts_with(line)) line = found[i];
            }
            expected.push_back(line);
        }
        EXPECT_EQ(found, expected) << "deck:\n" << deck.text.substr(0, 300);
        EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), found.size()) << "a fault is reported twice";
    }
}

/// How a message about the deck's grid.cells begins.
inline const std::string cells_list = "grid.cells: expected a list [nx, ny, nz], each an integer >= 1, found ";

}  // namespace jacobi::testing
