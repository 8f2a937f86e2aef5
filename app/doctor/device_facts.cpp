#include "device_facts.hpp"

#include <fmt/format.h>

#include "devices.hpp"
#include "error.hpp"

#if defined(JACOBI_WITH_CUDA)
#include <cuda_runtime.h>
#endif

namespace jacobi::doctor {

#if defined(JACOBI_WITH_CUDA)

namespace {

/// -1 for what this driver does not know.
int attribute(cudaDeviceAttr which, int ordinal) {
    int value = -1;
    if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess) {
        (void)cudaGetLastError();
        return -1;
    }
    return value;
}

std::string version_text(cudaError_t (*query)(int*)) {
    int version = 0;
    if (query(&version) != cudaSuccess) (void)cudaGetLastError();
    return version > 0 ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : "none";
}

const char* compute_mode_name(int mode) {
    switch (mode) {
        case cudaComputeModeDefault: return "default";
        case cudaComputeModeProhibited: return "prohibited";
        case cudaComputeModeExclusive:
        case cudaComputeModeExclusiveProcess: return "exclusive process";
        default: return "unknown";
    }
}

DeviceFacts describe(const Device& device, const RankFacts& rank) {
    DeviceFacts f;
    const int i = f.ordinal = device.ordinal;
    f.name = device.name;
    f.uuid = device.uuid;
    f.pci = device.pci;
    f.numa = device.numa;
    f.compute_capability =
        fmt::format("{}.{}", attribute(cudaDevAttrComputeCapabilityMajor, i), attribute(cudaDevAttrComputeCapabilityMinor, i));
    f.compute_mode = compute_mode_name(attribute(cudaDevAttrComputeMode, i));
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) == cudaSuccess)
        f.memory_gib = static_cast<double>(properties.totalGlobalMem) / (1 << 30);
    // A slice has "MIG" in its name; where a driver leaves that out, the variable that selects it says so.
    f.mig = device.name.find(" MIG ") != std::string::npos || rank.visible.find("MIG-") != std::string::npos;
#if CUDART_VERSION >= 12040
    f.mps = attribute(cudaDevAttrMpsEnabled, i) == 1;
#else
    f.mps = rank.mps_daemon;
#endif
    f.ipc_events = attribute(cudaDevAttrIpcEventSupport, i) == 1;
#if CUDART_VERSION >= 12000
    // CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS of the driver, which the runtime numbers alike but does not name.
    f.stream_memory_operations = attribute(cudaDevAttrReserved122, i) == 1;
#endif
    f.cooperative_launch = attribute(cudaDevAttrCooperativeLaunch, i) == 1;
    f.integrated = attribute(cudaDevAttrIntegrated, i) == 1;
    return f;
}

}  // namespace

void device_facts(RankFacts& facts) {
    facts.cuda_built = true;
    try {
        const DeviceList list = visible_devices();
        facts.no_device = list.reason;
        for (const Device& device : list.devices) facts.devices.push_back(describe(device, facts));
    } catch (const Error& error) {
        facts.no_device = error.what();
    }
    facts.cuda_driver = version_text(cudaDriverGetVersion);
    facts.cuda_runtime = version_text(cudaRuntimeGetVersion);
}

#else

void device_facts(RankFacts& facts) { facts.no_device = visible_devices().reason; }

#endif

}  // namespace jacobi::doctor
