// Stands in for cuda/devices.cpp in a build without CUDA.
#include "devices.hpp"

namespace jacobi {

DeviceList visible_devices() { return {{}, "this build has no CUDA back end (no CUDA compiler was found)"}; }

bool multi_process_service() { return false; }
bool mps_daemon() { return false; }

}  // namespace jacobi
