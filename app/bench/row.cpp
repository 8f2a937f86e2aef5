#include "row.hpp"

#include <algorithm>

namespace jacobi::bench {

Spread spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return {values.front(), n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2, values.back()};
}

std::size_t Table::note(const std::string& text) {
    auto found = std::find(notes.begin(), notes.end(), text);
    if (found == notes.end()) found = notes.insert(notes.end(), text);
    return static_cast<std::size_t>(found - notes.begin()) + 1;
}

Exit Table::status() const {
    if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.wrong.empty(); })) return Exit::verification;
    return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.measured(); }) ? Exit::success : Exit::failure;
}

}  // namespace jacobi::bench
