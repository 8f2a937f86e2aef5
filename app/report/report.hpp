// The report of a run: a JSON document for programs, and a line of CSV for tables over many runs.
#pragma once

#include <string>

#include "run_record.hpp"

namespace jacobi {

inline constexpr const char* report_schema = "jacobi-report/1";

/// The JSON document (json.hpp says how it writes NaN and infinity). What was not measured is null: the residuals without a
/// check, verification.passed when it was skipped, verification.error without a verification. `deck` holds the configuration as
/// `resolved`, with the deck's own keys and words ("auto", "none"), the `text` as it was read, and the --set options as
/// `overrides`.
std::string report_text(const RunRecord& record);

/// Writes the JSON document to PATH.part, syncs it and renames it: PATH is always whole, old or new. Call on one rank. Throws
/// Error (one rank's) naming the file and the reason.
void write_report(const RunRecord& record, const std::string& path);

/// Appends one line to a CSV file (RFC 4180), after a header line where the file is new or empty. Runs that end at the same time
/// may share the file. Call on one rank. Throws Error (one rank's) when it cannot be written, or when its header is another
/// one; the file is unchanged then.
void append_csv(const RunRecord& record, const std::string& path);

}  // namespace jacobi
