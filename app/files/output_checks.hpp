// Whether all that a run is to write can be written, and without harm to anything else.
#pragma once

#include <string>

#include "config.hpp"

namespace jacobi {

/// Looks at every file that a run may write, before any work is done: whether it can be written, whether output.overwrite lets
/// it, and whether two results, or a result and the deck, are one file under whatever names. `deck` is the deck's own file,
/// `report_key` what named report.file ("--report" perhaps). `room`: whether there is room for them counts, too. Touches nothing.
/// Call on one rank. Returns an empty string, or a message for the user.
std::string check_outputs(const Config& config, const std::string& deck, const std::string& report_key, bool room = true);

}  // namespace jacobi
