// What the devices that ranks see mean.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "advice_parts.hpp"

namespace jacobi::doctor {
namespace {

class Devices {
 public:
    Devices(const Examination& e, std::vector<Finding>& findings) : e_(e), live_(live_ranks(e)), findings_(findings) {}

    void advise() {
        if (live_.empty()) return;
        const auto without = ranks_where([](const RankFacts& r) { return r.devices.empty(); });
        if (without.size() == live_.size()) return none();
        if (!without.empty()) return some_without(without);
        sharing();
        slices();
        modes();
        errors();
        abilities();
        neighbourhood();
        if (std::none_of(findings_.begin(), findings_.end(), [](const Finding& f) { return f.severity == Severity::fail; }))
            everything();
    }

 private:
    void add(Severity severity, const std::string& what, const std::string& means, const std::string& change) {
        findings_.push_back({severity, "devices", what, means, change});
    }

    std::vector<int> ranks_where(const std::function<bool(const RankFacts&)>& holds) const {
        std::vector<int> ranks;
        for (const RankFacts* r : live_) {
            if (holds(*r)) ranks.push_back(r->rank);
        }
        return ranks;
    }
    std::vector<int> devices_where(const std::function<bool(const DeviceFacts&)>& holds) const {
        return ranks_where([&](const RankFacts& r) { return driven(r) != nullptr && holds(*driven(r)); });
    }

    void none() {
        const RankFacts& first = *live_[0];
        const bool hardware = std::any_of(live_.begin(), live_.end(), [](const RankFacts* r) { return r->gpu_hardware; });
        if (!hardware) {
            add(Severity::note, fmt::format("no GPU here ({})", first.no_device),
                "device.backend: auto takes the host: transport shm between ranks of a node", "");
        } else if (!first.cuda_built) {
            add(Severity::fail, "there are GPUs, but this build has no CUDA back end", "device.backend: auto takes the host",
                "put nvcc on PATH (or set CUDACXX) and build again");
        } else {
            add(Severity::fail,
                fmt::format("there are GPUs, but CUDA shows none to any rank ({}); CUDA_VISIBLE_DEVICES is {}", first.no_device,
                            shown(first)),
                "device.backend: auto takes the host",
                "check nvidia-smi, the driver's version against this build's CUDA, CUDA_VISIBLE_DEVICES, and in containers "
                "--gpus all");
        }
    }

    static std::string shown(const RankFacts& r) { return r.visible.empty() ? "empty" : r.visible; }

    void some_without(const std::vector<int>& without) {
        const RankFacts& r = e_.ranks[without[0]];
        add(Severity::fail,
            fmt::format("{} see{} no device ({}: {}; CUDA_VISIBLE_DEVICES is {}), others do", ranks_text(without),
                        without.size() == 1 ? "s" : "", r.host, r.no_device, shown(r)),
            "device.backend: auto takes the host for all ranks",
            "check CUDA_VISIBLE_DEVICES and the launcher's GPU binding on that host");
    }

    void sharing() {
        std::map<std::string, std::vector<int>> users;  // by UUID
        for (const RankFacts* r : live_) {
            if (r->sharers > 1 && driven(*r) != nullptr) users[driven(*r)->uuid].push_back(r->rank);
        }
        for (const auto& [uuid, ranks] : users) {
            const DeviceFacts& d = *driven(e_.ranks[ranks[0]]);
            const std::string who = fmt::format("{} share {} ({})", ranks_text(ranks), d.name, uuid);
            if (d.compute_mode == "exclusive process" && !d.mps) {
                add(Severity::fail, who + ", which is in exclusive-process mode", "all but one of them cannot use it at all",
                    "one rank a GPU, MPS, or nvidia-smi -c DEFAULT by the administrator");
            } else if (d.mps) {
                add(Severity::ok, who + " through MPS", "their kernels run at the same time: every sync works", "");
            } else {
                add(Severity::fail, who + " without MPS: their kernels take turns, about 2 ms each",
                    "sync: flag and persistent are refused (comm.force runs them, slowly); the others are right, but slow",
                    "one rank a GPU with all GPUs visible to every rank (Slurm: --gpus-per-node and --gpu-bind=none), or the "
                    "multi-process "
                    "service: nvidia-cuda-mps-control -d");
            }
        }
    }

    void slices() {
        const auto slices = devices_where([](const DeviceFacts& d) { return d.mig; });
        if (slices.empty()) return;
        add(opening_failed(e_) ? Severity::fail : Severity::note,
            fmt::format("{} drive{} a slice of a GPU (MIG)", ranks_text(slices), slices.size() == 1 ? "s" : ""),
            "different slices cannot map each other's memory: no transport: ipc between them, edges go over mpi; sync: barrier "
            "remains",
            "whole GPUs: nvidia-smi -mig 0 by the administrator, or request unpartitioned ones");
    }

    void modes() {
        const auto closed = devices_where([](const DeviceFacts& d) { return d.compute_mode == "prohibited"; });
        if (!closed.empty()) {
            add(Severity::fail, fmt::format("the device of {} is in compute mode prohibited", ranks_text(closed)),
                "nothing can run on it", "nvidia-smi -c DEFAULT by the administrator");
        }
        const auto stale =
            ranks_where([](const RankFacts& r) { return r.mps_daemon && driven(r) != nullptr && !driven(r)->mps; });
        if (!stale.empty()) {
            add(Severity::note,
                fmt::format("an MPS daemon's pipe folder is there, but CUDA says that {} would not use it", ranks_text(stale)),
                "jacobi goes by the folder",
                "start the daemon again (nvidia-cuda-mps-control -d), or remove the folder that CUDA_MPS_PIPE_DIRECTORY names");
        }
        const auto blocking = ranks_where([](const RankFacts& r) { return r.launch_blocking; });
        if (!blocking.empty()) {
            add(Severity::fail, fmt::format("CUDA_LAUNCH_BLOCKING is set on {}", ranks_text(blocking)),
                "every launch waits for its kernel: no overlap, and sync: flag and persistent are refused",
                "unset CUDA_LAUNCH_BLOCKING");
        }
        const auto wsl = ranks_where([](const RankFacts& r) { return r.wsl; });
        if (!wsl.empty()) {
            add(opening_failed(e_) ? Severity::fail : Severity::note,
                fmt::format("{} run{} under WSL", ranks_text(wsl), wsl.size() == 1 ? "s" : ""),
                "CUDA IPC does not work there: edges go over transport: mpi", "Linux itself, or device.backend: host");
        }
    }

    void errors() {
        std::map<std::string, std::vector<int>> broken;  // by error
        for (const RankFacts* r : live_) {
            if (!r->device_error.empty()) broken[r->device_error].push_back(r->rank);
        }
        for (const auto& [error, ranks] : broken) {
            add(Severity::fail, fmt::format("the device of {} cannot be used: {}", ranks_text(ranks), error),
                "jacobi ends with this message",
                "nvidia-smi: is another process on it (exclusive mode, memory), does it report errors?");
        }
    }

    void abilities() {
        const auto lack = [&](Severity severity, const std::vector<int>& ranks, const char* what, const char* means) {
            if (!ranks.empty()) add(severity, fmt::format("the device of {} {}", ranks_text(ranks), what), means, "");
        };
        lack(opening_failed(e_) ? Severity::fail : Severity::note,
             devices_where([](const DeviceFacts& d) { return d.integrated; }), "shares its memory with the host (integrated)",
             "CUDA IPC does not work there: no transport: ipc");
        lack(Severity::fail, devices_where([](const DeviceFacts& d) { return !d.ipc_events; }),
             "cannot share events between processes", "sync: event is refused");
        lack(Severity::note, devices_where([](const DeviceFacts& d) { return !d.stream_memory_operations; }),
             "has no 64-bit stream memory operations", "sync: stream is refused");
        lack(Severity::note, devices_where([](const DeviceFacts& d) { return !d.cooperative_launch; }),
             "has no cooperative launch", "sync: persistent is refused");
    }

    void neighbourhood() {
        const auto far = ranks_where([](const RankFacts& r) {
            const DeviceFacts* d = driven(r);
            return r.numa >= 0 && d != nullptr && d->numa >= 0 && d->numa != r.numa;
        });
        if (!far.empty()) {
            add(Severity::note,
                fmt::format("{} {} bound to a NUMA node away from its device", ranks_text(far), far.size() == 1 ? "is" : "are"),
                "launches and staged copies take longer",
                "bind ranks near their GPUs (mpirun --map-by numa), or do not bind them");
        }
    }

    void everything() {
        std::set<std::string> names, uuids;
        for (const RankFacts* r : live_) {
            if (driven(*r) == nullptr) continue;
            names.insert(driven(*r)->name);
            uuids.insert(driven(*r)->uuid);
        }
        std::string kinds;
        for (const std::string& kind : names) kinds += (kinds.empty() ? "" : ", ") + kind;
        add(Severity::ok,
            fmt::format("{} device{} for {} rank{}: {}", uuids.size(), uuids.size() == 1 ? "" : "s", live_.size(),
                        live_.size() == 1 ? "" : "s", kinds),
            "", "");
    }

    const Examination& e_;
    std::vector<const RankFacts*> live_;
    std::vector<Finding>& findings_;
};

}  // namespace

void advise_on_devices(const Examination& e, std::vector<Finding>& findings) { Devices(e, findings).advise(); }

}  // namespace jacobi::doctor
