// What CUDA says to this process about its devices.
#pragma once

#include "examination.hpp"

namespace jacobi::doctor {

/// Fills in versions and devices, or why there are none. Creates no context.
void device_facts(RankFacts& facts);

}  // namespace jacobi::doctor
