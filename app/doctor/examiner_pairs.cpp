// The examiner's steps that share memory: windows on the host, device memory, and the pairs of ranks through each.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "examiner.hpp"
#include "pair_checks.hpp"
#include "pair_rounds.hpp"

namespace jacobi::doctor {

using Json = nlohmann::json;

namespace {

/// Tear-down on a device in error fails, too; the results have said why.
template <class Work>
void quietly(Work&& work) {
    try {
        work();
    } catch (const Error&) {
    }
}

}  // namespace

/// Why a window must not be tried on this node; empty: it may. Open MPI takes a segment made by a process of its own id for its
/// own, so that ranks of equal ids in different PID namespaces crash.
std::string Examiner::equal_pids() const {
    std::map<int, int> seen;  // rank by process id
    for (const int r : node_) {
        const auto [first, added] = seen.emplace(e_.ranks[r].pid, r);
        if (!added) {
            return fmt::format(
                "ranks {} and {} both are process {}, in PID namespaces of their own: Open MPI confuses their shared memory, and "
                "crashes",
                first->second, r, first->first);
        }
    }
    return {};
}

void Examiner::examine_host() {
    std::optional<SharedWindow> window;
    const std::string refusal = equal_pids();
    Outcome mine = refusal.empty() ? Outcome{"ok", ""} : Outcome{"failed", refusal};
    Communicator node;
    guarded("making a shared window", 1, [&] {
        if (node_size() < 2 || mine.failed()) return;
        node = communicator_of(node_);
        MPI_Comm_set_errhandler(node.get(), MPI_ERRORS_RETURN);
        try {
            window.emplace(node.get(), host_window_bytes(node_size()), "the doctor's probes");
        } catch (const Error& error) {
            mine = {"failed", error.what()};
        }
    });
    const auto texts = gather("shared window", text_of(mine));
    for (const int r : live()) {
        const Outcome outcome = Json::parse(*texts[r]).get<Outcome>();
        if (!e_.windows[e_.ranks[r].node].failed()) e_.windows[e_.ranks[r].node] = outcome;
    }
    std::unique_ptr<PairMemory> memory;
    if (window) memory = make_host_memory(*window, node_rank(), node_size(), spins_);
    examine_pairs("pairs on the host", memory.get());
    if (window && complete()) guarded("giving the shared window back", 1, [&] { window->close(); });
}

void Examiner::examine_devices() {
    if (std::none_of(e_.ranks.begin(), e_.ranks.end(), [](const RankFacts& r) { return r.device >= 0; })) return;
    std::unique_ptr<DeviceMemory> memory;
    DeviceOffer mine;
#if defined(JACOBI_WITH_CUDA)
    const RankFacts& self = e_.ranks[rank_];
    guarded("allocating device memory", 3, [&] {
        if (self.device < 0) return;
        mine.uuid = self.devices[self.device].uuid;
        try {
            memory = make_cuda_memory(self, node_rank(), node_size());
            mine = memory->offer();
        } catch (const Error& error) {
            mine.refusal = error.what();
        }
    });
#endif
    const auto texts = gather("device memory", text_of(mine), 3);
    std::vector<DeviceOffer> all(e_.ranks.size()), offers;
    for (const int r : live()) {
        all[r] = Json::parse(*texts[r]).get<DeviceOffer>();
        e_.ranks[r].device_error = all[r].refusal;
    }
    for (const int r : node_) offers.push_back(all[r]);
    if (memory) memory->accept(offers);
    examine_pairs("pairs of devices", memory.get());
    guarded("closing other ranks' device memory", 1, [&] {
        if (memory) quietly([&] { memory->close(); });
    });
    gather("closed device memory");
    guarded("giving device memory back", 1, [&] {
        if (memory && complete()) quietly([&] { memory->free(); });
    });
}

/// `memory` is null on ranks that have none to examine; all ranks call the roll of every round.
void Examiner::examine_pairs(const std::string& step, PairMemory* memory) {
    constexpr int few = 8;  // ranks a node whose pairs are examined one at a time
    const auto rounds_of = [](int size) { return pair_rounds(size, size <= few); };
    std::size_t rounds = 0;
    for (int node = 0; node < static_cast<int>(e_.cores.size()); ++node) {
        const auto size = std::count_if(e_.ranks.begin(), e_.ranks.end(), [&](const RankFacts& r) { return r.node == node; });
        rounds = std::max(rounds, rounds_of(static_cast<int>(size)).size());
    }
    const std::vector<PairRound> mine = rounds_of(node_size());
    for (std::size_t round = 0; round < rounds; ++round) {
        Json results = Json::array();
        ++talks_;
        for (std::size_t i = 0; memory != nullptr && round < mine.size() && i < mine[round].size(); ++i) {
            const auto [a, b] = mine[round][i];
            if (a == node_rank() || b == node_rank()) examine_pair(step, *memory, a == node_rank() ? b : a, results);
        }
        for (const auto& text : gather(step, text_of(results))) {
            if (!text) continue;
            for (const Json& result : Json::parse(*text)) e_.pairs.push_back(result.get<PairResult>());
        }
    }
}

void Examiner::examine_pair(const std::string& step, PairMemory& memory, int partner_node_rank, Json& results) {
    const int partner = node_[partner_node_rank];
    if (!rounds_.alive(partner)) return;
    constexpr int first_tag = 1 << 14, tags = 1 << 14;  // behind those of the roll calls; MPI promises tags up to 32767
    guarded(step, 1, [&] {
        Talk talk(mail_, rank_, partner, first_tag + talks_ * Talk::most_meetings % tags, limit_s_);
        results.push_back(check_pair(memory, partner_node_rank, talk));
    });
}

}  // namespace jacobi::doctor
