#include "deck_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <type_traits>

namespace jacobi::deck {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Shape of a plain scalar that might be a number, after YAML 1.2's core schema, and the traps around it.
enum class Shape { other, integer, real, leading_zero, hexadecimal, not_finite };

Shape shape_of(std::string_view text) {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    static const std::set<std::string> not_finite{".nan", ".inf", "nan", "inf", "infinity"};
    if (not_finite.contains(lower)) return Shape::not_finite;
    if (lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b")) return Shape::hexadecimal;

    std::size_t i = 0;
    const auto digits = [&] {
        const std::size_t begin = i;
        while (i < text.size() && is_digit(text[i])) ++i;
        return i - begin;
    };
    const std::size_t whole = digits();
    std::size_t fraction = 0;
    Shape shape = Shape::integer;
    if (i < text.size() && text[i] == '.') {
        shape = Shape::real;
        ++i;
        fraction = digits();
    }
    if (whole + fraction == 0) return Shape::other;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        shape = Shape::real;
        ++i;
        if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
        if (digits() == 0) return Shape::other;
    }
    if (i != text.size()) return Shape::other;
    return whole > 1 && text[0] == '0' ? Shape::leading_zero : shape;
}

/// What to say of a value that is no number of the wanted kind.
std::string number_hint(const Node& node, Shape shape) {
    if (node.quoted) return shape == Shape::other ? "" : "remove the quotes";
    switch (shape) {
        case Shape::leading_zero: return "remove the leading zero, which some YAML readers take for octal";
        case Shape::hexadecimal: return "write it in decimal";
        case Shape::not_finite: return "it must be finite";
        case Shape::real: return "write it out, without point or exponent";
        default: return "";
    }
}

/// from_chars takes no leading plus.
template <class T>
std::from_chars_result convert(std::string_view text, T& value) {
    if (text.starts_with('+')) text.remove_prefix(1);
    return std::from_chars(text.data(), text.data() + text.size(), value);
}

}  // namespace

template <class T>
std::string Integer<T>::expected() const {
    const bool open_end = max == std::numeric_limits<T>::max();
    return open_end ? fmt::format("an integer >= {}", min) : fmt::format("an integer from {} to {}", min, max);
}

template <class T>
std::optional<T> Integer<T>::parse(const Node& node, std::string& hint) const {
    if (node.kind != Node::Kind::scalar) return std::nullopt;
    const Shape shape = shape_of(node.text);
    if (node.quoted || shape != Shape::integer) {
        hint = number_hint(node, shape);
        return std::nullopt;
    }
    if (std::is_unsigned_v<T> && node.text.starts_with('-')) {
        return node.text == "-0" && min == 0 ? std::optional<T>(0) : std::nullopt;
    }
    T value{};
    if (convert(node.text, value).ec != std::errc()) {
        if (!node.text.starts_with('-') && max == std::numeric_limits<T>::max()) hint = fmt::format("the largest is {}", max);
        return std::nullopt;
    }
    return value >= min && value <= max ? std::optional<T>(value) : std::nullopt;
}
template struct Integer<int>;
template struct Integer<Index>;
template struct Integer<std::uint64_t>;

std::string Real::expected() const {
    std::string text = "a number";
    if (range == Range::not_negative) text += " >= 0";
    if (range == Range::positive) text += " > 0";
    if (max < std::numeric_limits<double>::max()) text += fmt::format(" and <= {}", max);
    return text;
}

std::optional<double> Real::parse(const Node& node, std::string& hint) const {
    if (node.kind != Node::Kind::scalar) return std::nullopt;
    const Shape shape = shape_of(node.text);
    if (node.quoted || (shape != Shape::integer && shape != Shape::real)) {
        hint = number_hint(node, shape);
        return std::nullopt;
    }
    double value = 0;
    if (convert(node.text, value).ec != std::errc()) {
        hint = "it is out of double's range";
        return std::nullopt;
    }
    value += 0.0;  // -0 becomes 0
    const bool within = range == Range::any || value > 0 || (range == Range::not_negative && value == 0);
    return within && value <= max ? std::optional<double>(value) : std::nullopt;
}

std::optional<bool> Bool::parse(const Node& node, std::string& hint) const {
    if (node.kind != Node::Kind::scalar) return std::nullopt;
    static const std::set<std::string> yes{"true", "True", "TRUE"};
    static const std::set<std::string> no{"false", "False", "FALSE"};
    const bool known = yes.contains(node.text) || no.contains(node.text);
    if (known && !node.quoted) return yes.contains(node.text);
    if (known) hint = "remove the quotes";
    return std::nullopt;
}

Word<std::string> words(const std::vector<std::string>& names) {
    Word<std::string> result;
    for (const std::string& name : names) result.names.emplace_back(name, name);
    return result;
}

std::optional<std::string> Path::parse(const Node& node, std::string& hint) const {
    if (node.kind != Node::Kind::scalar || node.text.empty()) return std::nullopt;
    if (find_invalid_byte(node.text) != std::string::npos || node.text.find_first_of("\t\r\n") != std::string::npos) {
        hint = "control characters are not allowed";
        return std::nullopt;
    }
    if (node.quoted) return node.text;
    if (node.text == "none") return "";
    if (looks_like_other_type(node.text)) {
        hint = "quote it if this is the file's name";
        return std::nullopt;
    }
    return node.text;
}

std::optional<std::string> PlanSource::parse(const Node& node, std::string& hint) const {
    const std::optional<std::string> path = Path{}.parse(node, hint);
    return path && path->empty() ? std::nullopt : path;
}

bool looks_like_other_type(const std::string& text) {
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    static const std::set<std::string> words{"true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ""};
    return words.contains(lower) || shape_of(text) != Shape::other;
}

}  // namespace jacobi::deck
