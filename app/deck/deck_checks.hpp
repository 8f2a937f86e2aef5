// What a deck's keys must fulfil together, and the defaults that depend on other keys.
#pragma once

#include <initializer_list>
#include <string>

#include "config.hpp"
#include "deck_schema.hpp"

namespace jacobi::deck {

/// Adds the faults of a complete reading and fills in the remaining defaults. A key that failed on its own takes no part.
void check(Reading& reading, const Support& support);

/// What the checks share: what was read, what this build can do, and how a fault is reported once.
struct Checks {
    Reading& reading;
    Config& config;
    const Support& support;

    bool given(const std::string& path) const { return reading.given.contains(path); }
    /// None of the keys, nor a section that they stand in, was found wrong.
    bool sound(std::initializer_list<std::string> paths) const;
    /// The value of a key; the deck's start where the key was not given.
    Place value_place(const std::string& path) const;

    // Each reports a fault of a key, which is not sound afterwards.
    void fail_at(const Place& place, const std::string& path, const std::string& message);
    void fail(const std::string& path, const std::string& message) { fail_at(value_place(path), path, message); }
    void fail_key(const std::string& path, const std::string& message) { fail_at(reading.given.at(path).key, path, message); }
};

void check_problem(Checks& c);  ///< sections grid, problem, verify
void check_run(Checks& c);      ///< the other sections, keys that must be given, what this build lacks

}  // namespace jacobi::deck
