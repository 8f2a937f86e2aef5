// The table of a deck's keys: names, types, and where each value goes.
#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "deck_schema.hpp"
#include "deck_values.hpp"

namespace jacobi::deck {

/// Reads the value of one key into the configuration.
class Reader {
 public:
    Reader(Reading& reading, const Entry& entry, std::string path) : reading_(reading), entry_(entry), path_(std::move(path)) {}

    /// One value of a type.
    template <class Type, class T>
    void one(const Type& type, T& result) const {
        read(type, type.expected(), entry_.value, path_, result);
    }

    /// The word auto, read as none, or one value.
    template <class Type, class T>
    void one_or_auto(const Type& type, std::optional<T>& result) const {
        if (is_auto()) {
            result.reset();
            return;
        }
        T value{};
        if (read(type, "auto or " + type.expected(), entry_.value, path_, value)) result = value;
    }

    /// A list of three values; `axes` is how the message writes it.
    template <class Type, class T>
    void three(const Type& type, const char* axes, std::array<T, 3>& result, const std::string& alternative = "") const {
        const Node& list = entry_.value;
        if (list.kind != Node::Kind::sequence || list.items.size() != 3) {
            fail(list, path_, fmt::format("{}a list {}, each {}", alternative, axes, type.expected()), "");
            return;
        }
        for (int a = 0; a < 3; ++a) {
            const std::string element = fmt::format("{}[{}]", path_, a);
            reading_.given[element] = {entry_.place, list.items[a].place};
            if (!read(type, type.expected(), list.items[a], element, result[a])) reading_.failed.insert(path_);
        }
    }
    template <class Type, class T>
    void three_or_auto(const Type& type, const char* axes, std::optional<std::array<T, 3>>& result) const {
        if (is_auto()) {
            result.reset();
            return;
        }
        std::array<T, 3> values{};
        three(type, axes, values, "auto or ");
        result = values;
    }

 private:
    bool is_auto() const { return entry_.value.kind == Node::Kind::scalar && entry_.value.text == "auto"; }

    template <class Type, class T>
    bool read(const Type& type, const std::string& expected, const Node& node, const std::string& path, T& result) const {
        std::string hint;
        const auto value = type.parse(node, hint);
        if (value) {
            result = *value;
        } else {
            fail(node, path, expected, hint);
        }
        return value.has_value();
    }
    void fail(const Node& node, const std::string& path, const std::string& expected, const std::string& hint) const {
        reading_.fault(node.place, path,
                       fmt::format("expected {}, found {}{}", expected, found(node), hint.empty() ? "" : "; " + hint));
        reading_.failed.insert(path);
    }

    Reading& reading_;
    const Entry& entry_;
    const std::string path_;
};

struct Key {
    std::string_view section;
    std::string_view name;
    void (*read)(const Reader&, Config&);  ///< null where the value is a map, whose keys have entries of their own

    std::string path() const { return fmt::format("{}.{}", section, name); }
};

/// All keys, in the deck's own order.
std::span<const Key> key_table();

}  // namespace jacobi::deck
