// The doctor's report, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "advice.hpp"

namespace jacobi::doctor {

/// Ranks, matrices of pairs, findings, verdict.
std::string report_text(const Examination& e, const std::vector<Finding>& findings, bool color);

/// Everything, as a JSON document. Bytes that are no UTF-8 become U+FFFD.
std::string report_json(const Examination& e, const std::vector<Finding>& findings);

}  // namespace jacobi::doctor
