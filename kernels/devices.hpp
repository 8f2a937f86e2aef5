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

/// Is this process a client of NVIDIA's multi-process service on its current device, so that ranks sharing the GPU run side by
/// side instead of in turns? The device says so; where CUDA is older than 12.4 and cannot ask it, mps_daemon() does.
bool multi_process_service();

/// Has the service's control daemon left its mark in the folder that this process would look for it in?
bool mps_daemon();

}  // namespace jacobi
