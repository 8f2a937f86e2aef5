#include "facts.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <fmt/format.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device_facts.hpp"
#include "devices.hpp"
#include "memory/shared_window.hpp"
#include "placement.hpp"
#include "topology.hpp"

namespace jacobi::doctor {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name, const char* otherwise = "") {
    const char* value = std::getenv(name);
    return value != nullptr ? value : otherwise;
}

bool exists(const char* path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

std::string container_hint() {
    for (const char* file : {"/.dockerenv", "/run/.containerenv", "/.singularity.d"}) {
        if (exists(file)) return file;
    }
    for (const char* name : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "KUBERNETES_SERVICE_HOST", "container"}) {
        if (std::getenv(name) != nullptr) return fmt::format("{} is set", name);
    }
    return {};
}

bool under_wsl() {
    std::string version;
    std::getline(std::ifstream("/proc/version"), version);
    return version.find("icrosoft") != std::string::npos;
}

int usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

void shared_memory(RankFacts& facts) {
    facts.shm_folder = window_folder();
    struct statvfs fs {};
    if (statvfs(facts.shm_folder.c_str(), &fs) != 0) return;
    constexpr double mib = 1 << 20;
    facts.shm_mib = static_cast<double>(fs.f_blocks) * static_cast<double>(fs.f_frsize) / mib;
    facts.shm_free_mib = static_cast<double>(fs.f_bavail) * static_cast<double>(fs.f_frsize) / mib;
}

void cuda(RankFacts& facts) {
    facts.gpu_hardware = exists("/proc/driver/nvidia/version") || exists("/dev/nvidiactl") || exists("/dev/dxg");
    facts.visible = variable("CUDA_VISIBLE_DEVICES", "(unset)");
    facts.launch_blocking = variable("CUDA_LAUNCH_BLOCKING", "0") != "0";
    facts.mps_daemon = mps_daemon();
    device_facts(facts);
}

const char* thread_level_name(int level) {
    switch (level) {
        case MPI_THREAD_SINGLE: return "single";
        case MPI_THREAD_FUNNELED: return "funneled";
        case MPI_THREAD_SERIALIZED: return "serialized";
        default: return "multiple";
    }
}

}  // namespace

RankFacts gather_facts(int rank) {
    RankFacts facts;
    facts.rank = rank;
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(host, &length);
    facts.host = host;
    facts.pid = getpid();
    facts.boot_id = boot_id();
    facts.pid_namespace = name_of_namespace("pid");
    facts.ipc_namespace = name_of_namespace("ipc");
    facts.container = container_hint();
    facts.wsl = under_wsl();
    facts.cores = usable_cores();
    facts.numa = bound_numa_node();
    shared_memory(facts);
    cuda(facts);
    return facts;
}

MpiFacts mpi_facts(int thread_level) {
    MpiFacts facts;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0, version = 0, subversion = 0;
    MPI_Get_library_version(library, &length);
    facts.library = std::string(library).substr(0, std::string(library).find_first_of("\n,"));
    MPI_Get_version(&version, &subversion);
    facts.standard = fmt::format("{}.{}", version, subversion);
    facts.thread_level = thread_level_name(thread_level);
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    facts.gpu_aware = MPIX_Query_cuda_support() != 0 ? "yes" : "no";
#else
    facts.gpu_aware = "unknown";
#endif
    return facts;
}

}  // namespace jacobi::doctor
