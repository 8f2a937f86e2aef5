// Numbers on a command line.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace jacobi {

/// A number from `low` to `high`. CLI11's own Range takes what is not a number: NaN compares as neither too small nor too large.
inline CLI::Validator number_within(double low, double high) {
    const auto check = [low, high](std::string& word) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(word, value) && value >= low && value <= high) return {};
        return fmt::format("expected a number from {} to {}, found '{}'", low, high, word);
    };
    return CLI::Validator(check, "");
}

}  // namespace jacobi
