// The GPUs that this process sees.
#pragma once

#include <string>
#include <vector>

namespace jacobi {

/// A device as people and other processes know it: ordinals mean something to one process only.
struct Device {
    int ordinal = 0;
    std::string name;
    std::string uuid;  ///< "GPU-8b1f..." as nvidia-smi writes it
    std::string pci;   ///< "0000:3b:00.0"
    int numa = -1;     ///< NUMA node next to it, -1 unknown
};

struct DeviceList {
    std::vector<Device> devices;
    std::string reason;  ///< why there are none
};

/// Never fails: no CUDA in this build, no driver or no device give an empty list with the reason.
DeviceList visible_devices();

/// Is this process a client of NVIDIA's multi-process service, so that ranks sharing a GPU run side by side instead of in turns?
/// Told by the control daemon's pipe.
bool multi_process_service();

}  // namespace jacobi
