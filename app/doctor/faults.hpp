// Failures on purpose, for tests: the program `doctor_faults` is linked with faults.cpp, `doctor` with no_faults.cpp.
#pragma once

#include <string>

namespace jacobi::doctor {

/// Is `kind` injected on this rank? JACOBI_FAULT is a comma-separated list of KIND (all ranks) or KIND:RANK:
///   drop_writes  stores and flags into other ranks' memory are lost, with success reported
///   drop_flags   flags alone are lost
///   no_ipc       opening another rank's memory fails
///   no_event     opening another rank's event fails
///   hang         KIND:RANK:STEP, see injected_hang
bool injected(const std::string& kind, int rank);

/// hang:RANK:STEP: this rank stops for good when it gets to the step (the name of a roll call, or of a step that blocks).
void injected_hang(int rank, const std::string& step);

}  // namespace jacobi::doctor
