// What the examination of pairs means.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "advice_parts.hpp"

namespace jacobi::doctor {
namespace {

using Pairs = std::vector<const PairResult*>;

std::string pairs_text(const Pairs& pairs) {
    constexpr std::size_t shown = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, pairs.size()); ++i)
        text += fmt::format("{}{} -> {}", i == 0 ? "rank " : ", ", pairs[i]->from, pairs[i]->to);
    return pairs.size() > shown ? text + fmt::format(" and {} more", pairs.size() - shown) : text;
}

/// Without what differs from pair to pair, so that one cause makes one finding.
std::string cause(const std::string& detail) {
    const auto colon = detail.find(": ");
    return detail.starts_with("on rank ") && colon != std::string::npos ? detail.substr(colon + 2) : detail;
}

class PairAdvice {
 public:
    PairAdvice(const Examination& e, const char* transport, std::vector<Finding>& findings)
        : e_(e), cuda_(std::string(transport) == "ipc"), findings_(findings) {
        for (const PairResult& p : e.pairs) {
            if (p.transport == transport && e.ranks[p.from].lost.empty() && e.ranks[p.to].lost.empty()) pairs_.push_back(&p);
        }
        std::sort(pairs_.begin(), pairs_.end(),
                  [](const PairResult* a, const PairResult* b) { return std::pair(a->from, a->to) < std::pair(b->from, b->to); });
    }

    void advise() {
        if (pairs_.empty()) return;
        const std::string over_mpi =
            cuda_ ? "edges between them go over comm.transport: mpi; transport: ipc would end with this message"
                  : "the host back end has no transport: shm there";
        for (const auto& [why, pairs] : grouped([](const PairResult& p) { return p.memory; }))
            add(Severity::fail, "memory cannot be opened: " + why, pairs, over_mpi, opening_advice(pairs));
        for (const auto& [why, pairs] : grouped([](const PairResult& p) { return p.event; }))
            add(Severity::fail, "events cannot be opened: " + why, pairs, "sync: event is refused between them", "");
        const Pairs dropped = failed([](const PairResult& p) { return p.data; });
        if (!dropped.empty()) {
            add(Severity::fail, "memory opens, but data does not arrive: " + dropped[0]->data.detail, dropped, over_mpi,
                cuda_ ? "look for PCIe access control (ACS) or an IOMMU between the GPUs: BIOS settings, kernel option iommu=pt; "
                        "nvidia-smi topo -p2p w"
                      : "memory of the window is not shared: look at MPI's shared-memory component");
        }
        const Pairs mute = failed([](const PairResult& p) { return p.flags; });
        if (!mute.empty()) {
            // The one that waited in vain knows more than the one that it told.
            const auto tells = [](const PairResult* p) { return p->flags.detail.find("has not arrived") != std::string::npos; };
            const auto found = std::find_if(mute.begin(), mute.end(), tells);
            const PairResult* telling = found != mute.end() ? *found : mute[0];
            add(Severity::fail, "data arrives, but flags do not: " + telling->flags.detail, mute,
                cuda_ ? "sync: flag, persistent and stream would hang there until comm.timeout_s; barrier and event remain "
                        "(set comm.sync: auto may take flag or persistent)"
                      : "sync: event would hang there; barrier remains",
                cuda_ ? "tools that run one kernel at a time (profilers, compute-sanitizer) do this; without them look for ACS "
                        "or an IOMMU"
                      : "");
        }
        if (findings_.empty()) works();
        slow();
        taking_turns();
    }

 private:
    void add(Severity severity, const std::string& what, const Pairs& pairs, const std::string& means,
             const std::string& change) {
        findings_.push_back({severity, "pairs", what + " (" + pairs_text(pairs) + ")", means, change});
    }

    using Step = std::function<Outcome(const PairResult&)>;
    Pairs failed(const Step& step) const {
        Pairs pairs;
        std::copy_if(pairs_.begin(), pairs_.end(), std::back_inserter(pairs),
                     [&](const PairResult* p) { return step(*p).failed(); });
        return pairs;
    }
    std::map<std::string, Pairs> grouped(const Step& step) const {
        std::map<std::string, Pairs> groups;
        for (const PairResult* p : failed(step)) groups[cause(step(*p).detail)].push_back(p);
        return groups;
    }

    std::string opening_advice(const Pairs& pairs) const {
        const auto any = [&](const std::function<bool(const PairResult&, const RankFacts&, const RankFacts&)>& holds) {
            return std::any_of(pairs.begin(), pairs.end(),
                               [&](const PairResult* p) { return holds(*p, e_.ranks[p->from], e_.ranks[p->to]); });
        };
        if (!cuda_) return "";
        if (any([](auto&, auto& a, auto& b) {
                return (driven(a) != nullptr && driven(a)->mig) || (driven(b) != nullptr && driven(b)->mig);
            }))
            return "whole GPUs instead of MIG slices";
        if (any([](auto&, auto& a, auto& b) { return a.pid_namespace != b.pid_namespace; }))
            return "one PID namespace: all ranks of a node in one container, or containers with --pid=host and all GPUs";
        if (any([](auto&, auto& a, auto& b) { return a.wsl || b.wsl; })) return "Linux itself: WSL has no CUDA IPC";
        if (any([](auto& p, auto&, auto&) { return p.access == "no"; }))
            return "these GPUs have no direct link (nvidia-smi topo -p2p r): choose GPUs that have, or leave it";
        if (any([](auto& p, auto&, auto&) { return p.access == "not visible"; }))
            return "let every rank see all GPUs of the node: Slurm --gpus-per-node with --gpu-bind=none instead of "
                   "--gpus-per-task; the program "
                   "chooses itself";
        return "nvidia-smi topo -p2p r shows which GPUs reach each other; containers need --ipc=host and all GPUs";
    }

    void works() {
        const auto range = [&](double PairResult::*figure) {
            const auto [low, high] = std::minmax_element(
                pairs_.begin(), pairs_.end(), [&](const PairResult* a, const PairResult* b) { return a->*figure < b->*figure; });
            return fmt::format("{:.3g} to {:.3g}", (*low)->*figure, (*high)->*figure);
        };
        const std::size_t count = pairs_.size() / 2;
        findings_.push_back(
            {Severity::ok, "pairs",
             fmt::format("{} both ways through {}: store {} GB/s, flags {} us one way",
                         count == 1 ? "one pair works" : fmt::format("all {} pairs work", count),
                         cuda_ ? "CUDA IPC" : "shared windows", range(&PairResult::store_gbs), range(&PairResult::flag_us)),
             "", ""});
    }

    /// A link at less than half of what is usual here.
    void slow() {
        std::vector<double> rates;
        for (const PairResult* p : pairs_) {
            if (p->data.ok()) rates.push_back(p->store_gbs);
        }
        if (rates.size() < 4 || !cuda_) return;  // on the host other processes do that all the time
        std::nth_element(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2), rates.end());
        const double usual = rates[rates.size() / 2];
        Pairs slow;
        for (const PairResult* p : pairs_) {
            if (p->data.ok() && p->store_gbs < usual / 2) slow.push_back(p);
        }
        if (!slow.empty()) {
            add(Severity::note, fmt::format("stores reach less than half of the usual {:.0f} GB/s", usual), slow,
                "the run is as fast as its slowest edge",
                "nvidia-smi topo -m and nvidia-smi nvlink -s: a missing link, or GPUs on different sockets");
        }
    }

    void taking_turns() {
        Pairs turns;
        for (const PairResult* p : pairs_) {
            const DeviceFacts *from = driven(e_.ranks[p->from]), *to = driven(e_.ranks[p->to]);
            if (p->flags.ok() && p->access == "same device" && from != nullptr && to != nullptr && !from->mps) turns.push_back(p);
        }
        if (!turns.empty()) {
            add(Severity::note,
                fmt::format("kernels of one GPU take turns, so only {} flag round trips were made", turns[0]->round_trips), turns,
                "flag latency there is the GPU's time slice", "");
        }
    }

    const Examination& e_;
    bool cuda_;
    std::vector<Finding>& findings_;
    Pairs pairs_;
};

}  // namespace

void advise_on_pairs(const Examination& e, std::vector<Finding>& findings) {
    PairAdvice(e, on_gpus(e) ? "ipc" : "shm", findings).advise();
    if (!on_gpus(e)) return;
    const auto broken = std::find_if(e.pairs.begin(), e.pairs.end(), [](const PairResult& p) {
        return p.transport == "shm" && (p.memory.failed() || p.data.failed() || p.flags.failed());
    });
    if (broken == e.pairs.end()) return;
    const std::string& why = broken->memory.failed() ? broken->memory.detail
                             : broken->data.failed() ? broken->data.detail
                                                     : broken->flags.detail;
    findings.push_back(
        {Severity::fail, "pairs", fmt::format("shared host memory fails: {} (rank {} -> {})", why, broken->from, broken->to),
         "sync: event is not to be trusted: its notices go through such memory", "look at MPI's shared-memory component"});
}

}  // namespace jacobi::doctor
