// The keys of a deck, and the walk that reads a tree of them into a configuration.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config.hpp"
#include "deck_yaml.hpp"

namespace jacobi::deck {

/// Where a key was given: the key itself and its value. List elements have entries of their own, "grid.cells[0]".
struct Given {
    Place key;
    Place value;
};

/// A configuration while it is read. Keys are full paths, "grid.cells".
struct Reading {
    Config config;
    Faults faults;
    std::map<std::string, Given> given;  ///< keys and sections, at their last place
    std::set<std::string> failed;        ///< keys and sections already reported, for whose values nothing more is to be said

    void fault(const Place& place, const std::string& path, const std::string& message) {
        faults.push_back({place, path + ": " + message});
    }
};

/// Reads every key of the tree, in its order; a key that was read before is replaced. Faults: unknown and duplicate keys, wrong
/// kinds and types, values out of the range that a key has by itself.
void read_tree(const Node& root, Reading& reading);

/// Full paths of all keys, in the deck's own order; `problem.faces` stands for its six.
std::vector<std::string> all_keys();

}  // namespace jacobi::deck
