// The order of the examination: facts, nodes, shared windows, pairs on the host, pairs of devices; then the report.
#pragma once

#include <string>

namespace jacobi::doctor {

struct DoctorOptions {
    std::string json;     ///< file; empty: none
    double limit_s = 10;  ///< of a step
    bool no_color = false;
};

/// Collective. Rank 0 prints and writes. Returns the exit status, on every rank that still answers the same: 0 full function, 1
/// something had to be given up, 2 the file cannot be written. When a rank is lost, rank 0 reports and ends the job instead.
int examine(const DoctorOptions& options, int thread_level);

}  // namespace jacobi::doctor
