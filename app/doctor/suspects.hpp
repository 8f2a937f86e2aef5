// Which processes of this machine are in no state to answer.
#pragma once

#include <string>

#include "examination.hpp"

namespace jacobi::doctor {

/// Fills in `state` of those ranks whose processes this one can see and that do not run: "stopped", "waits for a device or disk",
/// "ended". The others' stays empty.
void look_at_processes(Examination& e, int self);

}  // namespace jacobi::doctor
