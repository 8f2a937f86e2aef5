// What the views of a run for people have in common.
#pragma once

#include <fmt/format.h>

#include <string>

#include "terminal.hpp"

namespace jacobi {

inline constexpr const char* yellow = "\033[33m";
inline constexpr const char* red = "\033[31m";

inline std::string colored(const std::string& text, const char* color, const Style& style) {
    return style.color ? color + text + "\033[0m" : text;
}

/// "label          text".
inline std::string row(const char* label, const std::string& text) { return fmt::format("{:<15}{}\n", label, text); }

}  // namespace jacobi
