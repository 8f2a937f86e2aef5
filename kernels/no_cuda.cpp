// Stands in for cuda/devices.cpp in a build without CUDA.
#include "devices.hpp"

namespace jacobi {

DeviceList visible_devices() { return {{}, "this build has no CUDA back end: " JACOBI_NO_CUDA_REASON}; }

bool multi_process_service() { return false; }
bool mps_daemon() { return false; }

}  // namespace jacobi
