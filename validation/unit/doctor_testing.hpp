// Nodes for the tests of the doctor's advice.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "advice.hpp"

namespace jacobi::doctor {

/// Ranks of one node with a GPU each, everything working.
inline Examination healthy(int ranks) {
    Examination e;
    e.mpi = {"Open MPI v4.1.4", "3.1", "multiple", "no"};
    for (int i = 0; i < ranks; ++i) {
        RankFacts& r = e.ranks.emplace_back();
        r.rank = i;
        r.host = "node07";
        r.node = 0;
        r.pid = 100 + i;
        r.boot_id = "1b4e";
        r.pid_namespace = "pid:[1]";
        r.ipc_namespace = "ipc:[1]";
        r.cores = 64;
        r.shm_folder = "/dev/shm";
        r.shm_mib = r.shm_free_mib = 65536;
        r.cuda_built = r.gpu_hardware = true;
        r.visible = "(unset)";
        DeviceFacts d;
        d.name = "NVIDIA H200";
        d.uuid = "GPU-" + std::to_string(i);
        d.compute_mode = "default";
        d.ipc_events = d.stream_memory_operations = d.cooperative_launch = true;
        r.devices = {d};
        r.device = 0;
        r.sharers = 1;
    }
    e.windows = {{ranks > 1 ? "ok" : "skipped", ""}};
    e.cores = {64};
    const Outcome ok{"ok", ""};
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            if (from != to) e.pairs.push_back({from, to, "ipc", "yes", "yes", ok, ok, ok, ok, 380, 360, 0.7, 2000});
        }
    }
    return e;
}

/// The same without GPUs.
inline Examination without_gpus(int ranks) {
    Examination e = healthy(ranks);
    for (RankFacts& r : e.ranks) {
        r.devices.clear();
        r.device = -1;
        r.gpu_hardware = false;
        r.no_device = "no CUDA-capable device is detected";
    }
    for (PairResult& p : e.pairs) p.transport = "shm";
    return e;
}

/// The one finding of that severity; fails the test when there is another number of them.
inline Finding only(Severity severity, const Examination& e) {
    std::vector<Finding> found;
    for (const Finding& f : advise(e)) {
        if (f.severity == severity) found.push_back(f);
    }
    std::string all;
    for (const Finding& f : found) all += f.subject + ": " + f.what + '\n';
    EXPECT_EQ(found.size(), 1u) << all;
    return found.empty() ? Finding{} : found[0];
}
/// The one failure.
inline Finding failure(const Examination& e) {
    EXPECT_FALSE(full_function(advise(e)));
    return only(Severity::fail, e);
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define EXPECT_SAYS(text, part) EXPECT_TRUE(contains(text, part)) << (text)

}  // namespace jacobi::doctor
