#include "devices.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "handles.hpp"

namespace jacobi {

namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        char byte[3];
        std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
        text += byte;
        if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    return text;
}

}  // namespace

DeviceList visible_devices() {
    // Loading a kernel at its first launch may wait for the device, and so for a neighbour that waits for this rank: load all at
    // start.
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    DeviceList list;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        int driver = 0;
        (void)cudaDriverGetVersion(&driver);  // 0: no driver at all, which CUDA itself calls too old a one
        list.reason = status == cudaSuccess ? "CUDA sees no device"
                      : driver == 0         ? "no CUDA driver here"
                                            : cudaGetErrorString(status);
        return list;
    }
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties;
        JACOBI_CUDA(cudaGetDeviceProperties(&properties, i));
        char pci[32] = {};
        JACOBI_CUDA(cudaDeviceGetPCIBusId(pci, sizeof pci, i));
        for (char& c : pci) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
        int numa = -1;
        std::ifstream("/sys/bus/pci/devices/" + std::string(pci) + "/numa_node") >> numa;
        list.devices.push_back({i, properties.name, uuid_text(properties.uuid), pci, numa});
    }
    return list;
}

bool multi_process_service() {
#if CUDART_VERSION >= 12040
    int device = 0, enabled = 0;
    JACOBI_CUDA(cudaGetDevice(&device));
    if (cudaDeviceGetAttribute(&enabled, cudaDevAttrMpsEnabled, device) == cudaSuccess) return enabled != 0;
    (void)cudaGetLastError();  // a driver older than this build, which does not know the attribute
#endif
    return mps_daemon();
}

bool mps_daemon() {
    const char* folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
    return std::ifstream(std::string(folder != nullptr ? folder : "/tmp/nvidia-mps") + "/nvidia-cuda-mps-control.pid").good();
}

}  // namespace jacobi
