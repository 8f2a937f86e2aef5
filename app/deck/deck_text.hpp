// Text helpers of the deck reader: how input is quoted in messages, characters and UTF-8, the nearest name to a misspelt one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deck_yaml.hpp"

namespace jacobi::deck {

/// User's text for a one-line message: without control characters, cut after `longest` characters.
std::string printable(std::string_view text, std::size_t longest = 60);
/// The same in double quotes.
std::string shown(std::string_view text);

/// What a node is, for "..., found X": nothing, "abc", the quoted text "10", a list of 2, a map.
std::string found(const Node& node);

/// "a, b or c" (any last word).
std::string enumerate(const std::vector<std::string>& names, std::string_view last_word);

/// Whether a byte of valid UTF-8 continues a character.
constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Offset of the first byte that is not part of valid UTF-8 or is a control character other than tab and line ends; npos when
/// there is none.
std::size_t find_invalid_byte(std::string_view text);

/// Insertions, deletions and substitutions between two names, ignoring case; names beyond 64 characters are cut.
int edit_distance(std::string_view a, std::string_view b);

}  // namespace jacobi::deck
