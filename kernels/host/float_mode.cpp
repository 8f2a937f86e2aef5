#include "float_mode.hpp"

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace jacobi::host {

void require_ieee_float_mode() {
    // volatile: the operations happen at run time, in the mode the thread really has.
    volatile double tiny = std::numeric_limits<double>::min();
    volatile float tiny_float = std::numeric_limits<float>::min();
    volatile double halved = tiny * 0.5, restored = halved * 2.0;
    volatile float halved_float = tiny_float * 0.5f, restored_float = halved_float * 2.0f;
    if (std::fegetround() != FE_TONEAREST || restored != tiny || restored_float != tiny_float) {
        std::fprintf(
            stderr,
            "jacobi: this thread does not round to nearest or flushes denormals to zero, so results would not be the same "
            "bits as elsewhere. Some library of the process was linked with -ffast-math or changed MXCSR; unload it.\n");
        std::exit(1);
    }
}

}  // namespace jacobi::host
