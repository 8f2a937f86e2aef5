// What a run says to people, as text: rank 0 prints it to standard output (warnings of a quiet run: to standard error).
#pragma once

#include <cstddef>
#include <string>

#include "run_record.hpp"

namespace jacobi {

/// Colour marks only what wants attention: warnings, a failed verification, divergence.
struct Style {
    bool color = false;
};

/// Text that wants attention.
std::string alarming(const std::string& text, const Style& style);

/// Program, problem, back end, devices, decomposition, rung, transports, memory and warnings, before the run.
std::string header_text(const RunRecord& record, const Style& style);

/// Back end, ranks and devices, a line each (header_text has them too).
std::string machine_text(const RunRecord& record);

/// The record's warnings, one a line (header_text has them too).
std::string warnings_text(const RunRecord& record, const Style& style);

/// Every edge with its transport, the bytes it sends a sweep and the reason; of more than `limit` edges one line a transport and
/// reason, with their number.
std::string edges_text(const RunRecord& record, std::size_t limit = 48);

/// What --dry-run prints: header, memory needed and edges.
std::string dry_run_text(const RunRecord& record, const Style& style);

/// Phases, rate and bound, residuals, digest; then the two lines that always stand,
/// "Figure of Merit (FOM): 12345.678 MLUP/s" and "Verification: PASS (...)". `quiet`: only these two and the digest.
std::string result_text(const RunRecord& record, bool quiet, const Style& style);

/// What follows when the results are stored: time of output, whole time, files.
std::string closing_text(const RunRecord& record);

}  // namespace jacobi
