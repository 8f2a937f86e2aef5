// What the doctor makes of ranks, devices, memory and MPI: a healthy node, and each way in which one can be ill.
#include "doctor_testing.hpp"

namespace jacobi::doctor {
namespace {

TEST(DoctorAdvice, AHealthyNodeIsOk) {
    for (const Examination& e : {healthy(2), healthy(8), healthy(1), without_gpus(1), without_gpus(3)}) {
        const auto findings = advise(e);
        EXPECT_TRUE(full_function(findings));
        for (const Finding& f : findings) EXPECT_NE(f.severity, Severity::fail) << f.what;
    }
    EXPECT_SAYS(only(Severity::note, healthy(1)).what, "one rank alone");
    EXPECT_SAYS(only(Severity::note, without_gpus(2)).means, "auto takes the host");
}

TEST(DoctorAdvice, LostRank) {
    Examination e = healthy(3);
    e.ranks[1].lost = "nodes";
    e.ranks[1].state = "stopped";
    const Finding f = failure(e);
    EXPECT_EQ(f.subject, "ranks");
    EXPECT_SAYS(f.what, "rank 1 (node07, process 101, stopped)");
    EXPECT_SAYS(f.what, "\"nodes\"");
}

TEST(DoctorAdvice, StuckExamination) {
    Examination e = healthy(3);
    e.stuck = "making a shared window";
    e.ranks[2].state = "stopped";
    EXPECT_SAYS(failure(e).what,
                "\"making a shared window\" did not end within its limit, and the examination with it; rank 2 (");
}

TEST(DoctorAdvice, OneMachineTakenForTwoNodes) {
    Examination e = healthy(4);
    e.ranks[2].node = e.ranks[3].node = 1;
    e.windows.push_back({"ok", ""});
    e.cores.push_back(64);
    e.pairs.clear();
    const Finding f = failure(e);
    EXPECT_SAYS(f.what, "ranks 0, 1, 2 and 3 run on one machine");
    EXPECT_SAYS(f.means, "transport: mpi");
    for (int r : {2, 3}) e.ranks[r].boot_id = "77aa";
    EXPECT_TRUE(full_function(advise(e))) << "two machines";
    EXPECT_SAYS(only(Severity::note, e).means, "staged through pinned host memory");
    e.mpi.gpu_aware = "yes";
    for (const Finding& f2 : advise(e)) EXPECT_EQ(f2.severity, Severity::ok) << f2.what;
}

TEST(DoctorAdvice, GpusThatCudaDoesNotShow) {
    Examination e = without_gpus(2);
    for (RankFacts& r : e.ranks) r.gpu_hardware = true, r.visible = "";
    EXPECT_SAYS(failure(e).what, "CUDA_VISIBLE_DEVICES is empty");
    for (RankFacts& r : e.ranks) r.cuda_built = false;
    EXPECT_SAYS(failure(e).change, "nvcc");
}

TEST(DoctorAdvice, ARankWithoutDevice) {
    Examination e = healthy(3);
    e.ranks[2].devices.clear();
    e.ranks[2].device = -1;
    e.ranks[2].no_device = "no CUDA-capable device is detected";
    const Finding f = failure(e);
    EXPECT_SAYS(f.what, "rank 2 sees no device (node07");
    EXPECT_SAYS(f.means, "host for all ranks");
}

TEST(DoctorAdvice, SharedDevice) {
    Examination e = healthy(2);
    for (RankFacts& r : e.ranks) r.devices[0].uuid = "GPU-0", r.sharers = 2;
    const Finding f = failure(e);
    EXPECT_SAYS(f.what, "ranks 0 and 1 share NVIDIA H200 (GPU-0) without MPS");
    EXPECT_SAYS(f.means, "flag and persistent are refused");
    EXPECT_SAYS(f.change, "nvidia-cuda-mps-control");
    for (PairResult& p : e.pairs) p.access = "same device", p.round_trips = 10;
    EXPECT_SAYS(only(Severity::note, e).what, "take turns, so only 10 flag round trips");
    for (RankFacts& r : e.ranks) r.devices[0].compute_mode = "exclusive process";
    EXPECT_SAYS(failure(e).what, "exclusive-process mode");
    for (RankFacts& r : e.ranks) r.devices[0].mps = true;
    EXPECT_TRUE(full_function(advise(e)));
}

TEST(DoctorAdvice, SettingsOfDevices) {
    const auto with = [](auto&& change) {
        Examination e = healthy(2);
        change(e.ranks[1]);
        return e;
    };
    EXPECT_SAYS(failure(with([](RankFacts& r) { r.launch_blocking = true; })).what, "CUDA_LAUNCH_BLOCKING is set on rank 1");
    EXPECT_SAYS(failure(with([](RankFacts& r) { r.devices[0].compute_mode = "prohibited"; })).what, "compute mode prohibited");
    EXPECT_SAYS(failure(with([](RankFacts& r) { r.devices[0].ipc_events = false; })).means, "event is refused");
    EXPECT_SAYS(failure(with([](RankFacts& r) { r.device_error = "cudaMalloc: out of memory"; })).what,
                "the device of rank 1 cannot be used: cudaMalloc: out of memory");
    EXPECT_SAYS(only(Severity::note, with([](RankFacts& r) { r.devices[0].stream_memory_operations = false; })).means,
                "stream is refused");
    EXPECT_SAYS(only(Severity::note, with([](RankFacts& r) { r.devices[0].cooperative_launch = false; })).means,
                "persistent is refused");
    EXPECT_SAYS(only(Severity::note, with([](RankFacts& r) { r.numa = 0, r.devices[0].numa = 1; })).what, "NUMA node away");
    EXPECT_SAYS(only(Severity::note, with([](RankFacts& r) { r.mps_daemon = true; })).what, "rank 1 would not use it");
}

TEST(DoctorAdvice, SharedMemory) {
    Examination e = without_gpus(2);
    for (RankFacts& r : e.ranks) r.shm_mib = r.shm_free_mib = 64;
    EXPECT_TRUE(full_function(advise(e)));
    bool told = false;
    for (const Finding& f : advise(e)) told = told || contains(f.means, "about 4.2 million cells");
    EXPECT_TRUE(told) << "64 MiB at 16 bytes a cell";
    e.windows[0] = {"failed", "MPI_Win_allocate_shared failed"};
    e.pairs.clear();
    EXPECT_SAYS(failure(e).change, "--shm-size");
}

TEST(DoctorAdvice, Mpi) {
    Examination e = healthy(2);
    e.cores = {1};
    EXPECT_SAYS(only(Severity::note, e).what, "node 0 is oversubscribed: 2 ranks on 1 core");
    e = healthy(2);
    e.mpi.thread_level = "funneled";
    EXPECT_SAYS(only(Severity::note, e).what, "funneled");
}

}  // namespace
}  // namespace jacobi::doctor
