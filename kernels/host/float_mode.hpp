// The processor's floating-point mode, which belongs to each thread.
#pragma once

namespace jacobi::host {

/// Ends the program with a message when the calling thread rounds otherwise than to nearest or flushes denormals to zero (a
/// library linked with -ffast-math switches that on silently): results would differ in their last bits, or earlier.
void require_ieee_float_mode();

}  // namespace jacobi::host
