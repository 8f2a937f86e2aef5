// What the doctor finds out, as it travels between ranks and as it stands in the JSON file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace jacobi::doctor {

inline constexpr const char* schema = "jacobi-doctor/1";

/// A device as one rank sees it.
struct DeviceFacts {
    int ordinal = 0;
    std::string name, uuid, pci;
    int numa = -1;                   ///< NUMA node next to it, -1 unknown
    std::string compute_capability;  ///< "9.0"
    std::string compute_mode;        ///< "default", "exclusive process", "prohibited"
    double memory_gib = 0;
    bool mig = false;                       ///< a slice of a GPU (multi-instance GPU)
    bool mps = false;                       ///< contexts on it share the GPU through the multi-process service
    bool ipc_events = false;                ///< rung `event`
    bool stream_memory_operations = false;  ///< rung `stream`
    bool cooperative_launch = false;        ///< rung `persistent`
    bool integrated = false;                ///< shares its memory with the host
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceFacts, ordinal, name, uuid, pci, numa, compute_capability, compute_mode, memory_gib, mig,
                                   mps, ipc_events, stream_memory_operations, cooperative_launch, integrated)

struct RankFacts {
    int rank = 0;
    std::string lost;   ///< the step in which it did not report; then nothing below is known, or no more than until then
    std::string state;  ///< "stopped", ... where rank 0 could see that its process does not run
    std::string host;
    int node = -1;  ///< ranks that can share memory, numbered by their lowest ranks; -1 unknown
    int pid = 0;
    std::string boot_id, pid_namespace, ipc_namespace;
    std::string container;   ///< what hints at one; empty: nothing
    bool wsl = false;        ///< Windows subsystem for Linux
    int cores = 0;           ///< that this process may use
    int numa = -1;           ///< NUMA node that this process is bound to, -1 to none
    std::string shm_folder;  ///< where shared windows have their memory
    double shm_mib = 0, shm_free_mib = 0;
    bool cuda_built = false;
    bool gpu_hardware = false;  ///< the kernel has an NVIDIA driver, whether or not CUDA sees a device
    std::string cuda_driver, cuda_runtime;
    std::string visible;  ///< CUDA_VISIBLE_DEVICES, "(unset)"
    bool launch_blocking = false;
    bool mps_daemon = false;  ///< the control daemon of the multi-process service has left its mark (kernels/devices.hpp)
    std::string no_device;    ///< why CUDA sees none
    std::vector<DeviceFacts> devices;
    std::string device_error;  ///< why the device that this rank would drive cannot be used
    int device = -1;           ///< which of `devices` the program would drive from this rank
    int sharers = 0;           ///< ranks of the node on that device
    std::string json;          ///< rank 0: why the file of --json cannot be written; empty where it can
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankFacts, rank, lost, state, host, node, pid, boot_id, pid_namespace, ipc_namespace,
                                   container, wsl, cores, numa, shm_folder, shm_mib, shm_free_mib, cuda_built, gpu_hardware,
                                   cuda_driver, cuda_runtime, visible, launch_blocking, mps_daemon, no_device, devices,
                                   device_error, device, sharers, json)

struct MpiFacts {
    std::string library, standard, thread_level;
    std::string gpu_aware;  ///< "yes", "no", or "unknown"
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MpiFacts, library, standard, thread_level, gpu_aware)

struct Outcome {
    std::string state = "skipped";  ///< "ok", "failed", "skipped"
    std::string detail;             ///< why it failed or was skipped
    bool ok() const { return state == "ok"; }
    bool failed() const { return state == "failed"; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, state, detail)

/// Rank `from` uses the memory of rank `to`.
struct PairResult {
    int from = 0, to = 0;
    std::string transport;       ///< "shm" or "ipc"
    std::string access;          ///< what CUDA says of the pair: "yes", "no", "same device", "not visible"; empty on the host
    std::string native_atomics;  ///< likewise "yes", "no", "same device", "not visible"
    Outcome memory;              ///< opened?
    Outcome event;               ///< opened?
    Outcome data;                ///< stored by `from`, found by `to` on its own side?
    Outcome flags;               ///< flags to and fro, on GPUs between two resident kernels
    double copy_gbs = 0, store_gbs = 0;
    double flag_us = 0;  ///< one way
    int round_trips = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PairResult, from, to, transport, access, native_atomics, memory, event, data, flags, copy_gbs,
                                   store_gbs, flag_us, round_trips)

struct Examination {
    MpiFacts mpi;
    std::vector<RankFacts> ranks;
    std::vector<Outcome> windows;   ///< by node: a shared window of all its ranks
    std::vector<int> cores;         ///< by node: that its ranks may use together
    std::vector<PairResult> pairs;  ///< both directions of every pair of a node
    double limit_s = 0;             ///< of a step
    std::string stuck;              ///< the step in which the examination itself ended
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Examination, mpi, ranks, windows, cores, pairs, limit_s, stuck)

}  // namespace jacobi::doctor
