// Strict readers of single values. yaml-cpp's own conversions take 010 for 8, "10" for 10 and .nan for a length.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "deck_text.hpp"
#include "deck_yaml.hpp"
#include "geometry.hpp"

namespace jacobi::deck {

// A value type has expected(), what a message says should stand there, and parse(): the value of a node, or none and perhaps
// a hint that names the trap.

/// Decimal integer in [min, max]: no leading zeros, exponent, point, quotes or underscores.
template <class T>
struct Integer {
    T min = std::numeric_limits<T>::min();
    T max = std::numeric_limits<T>::max();

    std::string expected() const;
    std::optional<T> parse(const Node& node, std::string& hint) const;
};
extern template struct Integer<int>;
extern template struct Integer<Index>;
extern template struct Integer<std::uint64_t>;

/// Finite number; -0 is read as 0.
struct Real {
    enum class Range { any, not_negative, positive };
    Range range = Range::any;
    double max = std::numeric_limits<double>::max();

    std::string expected() const;
    std::optional<double> parse(const Node& node, std::string& hint) const;
};

/// true or false as in YAML 1.2 (true, True, TRUE), not YAML 1.1's yes, on and y.
struct Bool {
    std::string expected() const { return "true or false"; }
    std::optional<bool> parse(const Node& node, std::string& hint) const;
};

/// One of a list of names, each with what it stands for.
template <class T>
struct Word {
    std::vector<std::pair<std::string, T>> names;

    std::string expected() const {
        std::vector<std::string> list;
        for (const auto& entry : names) list.push_back(entry.first);
        return enumerate(list, "or");
    }
    std::optional<T> parse(const Node& node, std::string&) const {
        if (node.kind != Node::Kind::scalar) return std::nullopt;
        for (const auto& [name, value] : names) {
            if (name == node.text) return value;
        }
        return std::nullopt;
    }
};

/// The names of an enumeration, in the order of its enumerators.
template <class T, std::size_t n>
Word<T> words(const std::array<const char*, n>& names) {
    Word<T> result;
    for (std::size_t i = 0; i < n; ++i) result.names.emplace_back(names[i], static_cast<T>(i));
    return result;
}

/// Words that stand for themselves.
Word<std::string> words(const std::vector<std::string>& names);

/// A file's path; the plain word none, the empty path.
struct Path {
    std::string expected() const { return "a path or none"; }
    std::optional<std::string> parse(const Node& node, std::string& hint) const;
};

/// Where plans come from: auto, measure, or a file's path (./auto for one with such a name).
struct PlanSource {
    std::string expected() const { return "auto, measure or a path"; }
    std::optional<std::string> parse(const Node& node, std::string& hint) const;
};

/// Whether YAML readers may take this plain text for a number, a bool or a null, so that a path of this name needs quotes.
bool looks_like_other_type(const std::string& text);

}  // namespace jacobi::deck
