// YAML text as a tree whose every node knows its place. Built from yaml-cpp's events instead of its own nodes, which hide
// duplicate keys and cannot say where an empty value stands.
#pragma once

#include <compare>
#include <string>
#include <vector>

namespace jacobi::deck {

/// A place in the deck (source 0) or in a --set option (1, 2, ...). Lines and columns count from 1, columns in characters.
struct Place {
    int source = 0;
    int line = 1;
    int column = 1;
    friend auto operator<=>(const Place&, const Place&) = default;
};

struct Fault {
    Place place;
    std::string message;
};
using Faults = std::vector<Fault>;

struct Entry;

struct Node {
    enum class Kind { null, scalar, sequence, map };
    Kind kind = Kind::null;
    Place place;          ///< of a null: its key's place, there is nothing else to point at
    std::string text;     ///< of a scalar
    bool quoted = false;  ///< a scalar that YAML takes as text whatever it looks like
    std::vector<Node> items;
    std::vector<Entry> entries;  ///< in the order of the text, duplicates included
};

/// One key of a map.
struct Entry {
    Place place;
    std::string key;
    Node value;
};

/// Longest text that is taken for a deck, bytes.
inline constexpr std::size_t text_limit = 1 << 20;

/// Parses one document. Returns false after a fault that leaves no usable tree; lesser faults (tags, keys that are no names)
/// are added to `faults` too, but the rest of the tree stands. Never throws for any text.
bool parse_yaml(const std::string& text, int source, Node& root, Faults& faults);

}  // namespace jacobi::deck
