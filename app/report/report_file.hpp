// Small text files that are whole or not there: the writing side of the report.
#pragma once

#include <string>

namespace jacobi {

/// Replaces the file by `text`, through PATH.part. Throws Error naming the file and the reason; PATH is what it was then.
void replace_file(const std::string& path, const std::string& text);

/// Appends `line`, after `header` where the file is new or empty (both without a newline), as one step for other processes that
/// do the same. Throws Error naming the file and the reason, also where the first line is not `header`; the file is unchanged
/// then.
void append_line(const std::string& path, const std::string& header, const std::string& line);

}  // namespace jacobi
