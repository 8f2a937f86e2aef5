#include "deck_checks.hpp"

#include <algorithm>

namespace jacobi::deck {

bool Checks::sound(std::initializer_list<std::string> paths) const {
    return std::none_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return reading.failed.contains(path) || reading.failed.contains(path.substr(0, path.find('.')));
    });
}

Place Checks::value_place(const std::string& path) const {
    const auto found = reading.given.find(path);
    return found == reading.given.end() ? Place{} : found->second.value;
}

void Checks::fail_at(const Place& place, const std::string& path, const std::string& message) {
    reading.fault(place, path, message);
    reading.failed.insert(path);
}

void check(Reading& reading, const Support& support) {
    Checks checks{reading, reading.config, support};
    check_run(checks);
    check_problem(checks);
}

}  // namespace jacobi::deck
