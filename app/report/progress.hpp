// The line on standard error that shows how far a run is.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "run_record.hpp"

namespace jacobi {

/// "sweep 150 of 200  residual 1.2e-05  1234.5 MLUP/s  3 s left". `residual` is left out while NaN (none yet), the time while it
/// cannot be told (negative).
std::string progress_text(Index sweep, Index total, double residual, double mlups, double seconds_left);

/// Rewrites its line in place and clears it at the end of its life; does nothing when not enabled. Rank 0 only.
class Progress {
 public:
    /// `enabled`: not --quiet, and standard error reaches a terminal. Time starts to count now.
    explicit Progress(bool enabled) : enabled_(enabled), start_(std::chrono::steady_clock::now()) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows the record as it stands, at most a few times a second.
    void update(const RunRecord& record);
    /// Blanks the line, before anything else is printed.
    void clear();

 private:
    bool enabled_;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point shown_{};
    Index first_ = -1;       ///< sweep of the first update, from which the time left is estimated
    double first_s_ = 0;     ///< and when it was
    std::size_t width_ = 0;  ///< of the line on the screen
};

}  // namespace jacobi
