#include "deck_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace jacobi::deck {
namespace {

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

/// Length of the well-formed UTF-8 sequence at `text`'s start, 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto within = [&](std::size_t i, unsigned lo, unsigned hi) { return byte(i) >= lo && byte(i) <= hi; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return within(1, 0x80, 0xbf) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef) {
        const unsigned lo = lead == 0xe0 ? 0xa0 : 0x80;  // no overlong forms
        const unsigned hi = lead == 0xed ? 0x9f : 0xbf;  // no surrogates
        return within(1, lo, hi) && within(2, 0x80, 0xbf) ? 3 : 0;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        const unsigned lo = lead == 0xf0 ? 0x90 : 0x80;
        const unsigned hi = lead == 0xf4 ? 0x8f : 0xbf;
        return within(1, lo, hi) && within(2, 0x80, 0xbf) && within(3, 0x80, 0xbf) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i >= longest && !is_continuation(text[i])) {
            result += "...";
            break;
        }
        result += is_control(static_cast<unsigned char>(text[i])) ? ' ' : text[i];
    }
    return result;
}

std::string shown(std::string_view text) { return '"' + printable(text) + '"'; }

std::string found(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null: return "nothing";
        case Node::Kind::scalar: return (node.quoted ? "the quoted text " : "") + shown(node.text);
        case Node::Kind::sequence: return node.items.empty() ? "an empty list" : fmt::format("a list of {}", node.items.size());
        case Node::Kind::map: break;
    }
    return "a map";
}

std::string enumerate(const std::vector<std::string>& names, std::string_view last_word) {
    std::string result;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) result += i + 1 == names.size() ? fmt::format(" {} ", last_word) : ", ";
        result += names[i];
    }
    return result;
}

std::size_t find_invalid_byte(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const std::size_t length = sequence_length(text.substr(i));
        if (length == 0 || (is_control(static_cast<unsigned char>(c)) && c != '\t' && c != '\n' && c != '\r')) return i;
        i += length;
    }
    return std::string_view::npos;
}

int edit_distance(std::string_view a, std::string_view b) {
    a = a.substr(0, 64);
    b = b.substr(0, 64);
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    std::vector<int> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        int diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const int substituted = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
        }
    }
    return row[b.size()];
}

}  // namespace jacobi::deck
