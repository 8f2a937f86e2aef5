// From what was found to what it means and what to change. Pure: no MPI, no CUDA.
#pragma once

#include <string>
#include <vector>

#include "examination.hpp"

namespace jacobi::doctor {

enum class Severity {
    ok,
    note,  ///< worth knowing; `auto` still runs at full function
    fail,  ///< something has to be given up
};
NLOHMANN_JSON_SERIALIZE_ENUM(Severity, {{Severity::ok, "OK"}, {Severity::note, "NOTE"}, {Severity::fail, "FAIL"}})
const char* name(Severity severity);  ///< "OK", "NOTE", "FAIL"

struct Finding {
    Severity severity = Severity::ok;
    std::string subject;  ///< "ranks", "devices", "pairs", "shared memory", "MPI"
    std::string what;
    std::string means;   ///< for comm.transport and comm.sync; empty where that goes without saying
    std::string change;  ///< what to do; empty where there is nothing to do
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, severity, subject, what, means, change)

/// In the order of the subjects above, failures of a subject first.
std::vector<Finding> advise(const Examination& e);

/// No finding is a failure: the program's exit status 0.
bool full_function(const std::vector<Finding>& findings);

}  // namespace jacobi::doctor
