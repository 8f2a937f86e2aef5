// Which instruction set the host's kernels use: the best one that the processor runs, or the one that JACOBI_ISA names.
#pragma once

#include <string>

namespace jacobi::host {

/// What is wrong with the environment variable JACOBI_ISA: it names no instruction set, or one that this build or this processor
/// lacks. An empty string, or a message for the user that lists the names that work.
std::string isa_fault();

}  // namespace jacobi::host
