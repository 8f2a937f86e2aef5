// Names of output files, and whether they can be written.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "geometry.hpp"

namespace jacobi {

/// Says now, rather than after the run, that an output file cannot be written: missing or read-only folder, a folder of that
/// name, an existing file with `overwrite` false, no room for `bytes` (the file is first written under another name, so an old
/// one makes no room). Touches nothing. Call on one rank. Returns an empty string, or a message for the user.
std::string check_output_path(const std::string& path, bool overwrite, std::uint64_t bytes);

/// The name of one dump of a series: "out/u.vtkhdf" at sweep 100 is "out/u_000100.vtkhdf".
std::string dump_path(const std::string& path, Index iteration);

/// The index of that series: "out/u.vtkhdf.series".
std::string series_path(const std::string& path);

/// Writes the index of a series, which ParaView opens as a time series, to series_path(path). `dumps`: path and time of each
/// file. Call on one rank. Throws Error (one rank's) when it cannot be written.
void write_series(const std::string& path, const std::vector<std::pair<std::string, double>>& dumps);

}  // namespace jacobi
