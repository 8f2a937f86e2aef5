// One line of the table, and the table.
#pragma once

#include "case.hpp"
#include "error.hpp"
#include "run_record.hpp"

namespace jacobi::bench {

/// Over the timed repeats.
struct Spread {
    double min = 0, median = 0, max = 0;
};
/// Of at least one value.
Spread spread_of(std::vector<double> values);

struct Row {
    Case asked;
    std::string refusal;  ///< why it was not measured; empty: it was
    // What follows is that of a measured one.
    RunRecord record;  ///< of the median repeat: iterations and solve_s are its, digest and verification are not in it
    Spread us;         ///< microseconds a sweep
    Index verified_sweeps = 0;
    std::uint64_t digest = 0;           ///< of the timed problem after them
    std::uint64_t random_digest = 0;    ///< of the problem `random` after them, run the same way
    std::string wrong;                  ///< which digest differs from the plainest configuration's; empty: none
    std::optional<double> over_staged;  ///< rate over that of staged messages at the same depth

    bool measured() const { return refusal.empty(); }
    double bytes_a_sweep() const { return record.bytes_per_point / record.temporal_depth; }
};

struct Table {
    RunRecord machine;  ///< on what it was made
    Common common;
    int repeats = 3;
    double seconds = 0;
    std::vector<Row> rows;
    std::vector<std::string> notes;  ///< in order of their numbers, counted from 1
    bool complete = false;           ///< no row is missing

    /// The number of a note, which is added unless it is there already.
    std::size_t note(const std::string& text);
    /// How the program ends: wrong bits over everything, then nothing measured.
    Exit status() const;
};

}  // namespace jacobi::bench
