#include "examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

#include "advice.hpp"
#include "facts.hpp"
#include "faults.hpp"
#include "output.hpp"
#include "output_path.hpp"
#include "pair_checks.hpp"
#include "pair_rounds.hpp"
#include "placement.hpp"
#include "report_file.hpp"
#include "rounds.hpp"
#include "tty.hpp"
#include "watchdog.hpp"

namespace jacobi::doctor {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

class Doctor {
 public:
    Doctor(const DoctorOptions& options, int thread_level)
        : options_(options), thread_level_(thread_level), mail_(MPI_COMM_WORLD), rounds_(mail_, 2 * options.limit_s) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        color_ = rank_ == 0 && wants_color(options.no_color);
        e_.limit_s = options.limit_s;
        e_.mpi = mpi_facts(thread_level);
    }

    int run() {
        gather_all_facts();
        if (!e_.ranks[0].json.empty()) throw Error(e_.ranks[0].json, Exit::usage, true);
        find_nodes();
        examine_host();
        examine_devices();
        return report();
    }

 private:
    bool root() const { return rank_ == 0; }

    /// For work in which libraries and drivers may wait without end. Rank 0's guard reports what is known by then; the others'
    /// leave it the time.
    template <class Work>
    void guarded(const std::string& step, double patience, Work&& work) {
        const double seconds = patience * 2 * options_.limit_s;
        const Watchdog watch(step, root() ? seconds : 2 * seconds + 10, fmt::format("rank {}", rank_), last_words(step));
        injected_hang(rank_, "inside " + step);
        work();
    }
    std::function<void()> last_words(const std::string& step) const {
        if (!root()) return {};
        return [e = e_, options = options_, color = color_, step]() mutable {
            e.stuck = step;
            publish(e, options, color);
        };
    }

    std::vector<std::optional<std::string>> gather(const std::string& step, const std::string& text = {}, double patience = 1) {
        auto texts = rounds_.gather(step, text, patience);
        for (std::size_t r = 0; r < e_.ranks.size(); ++r) e_.ranks[r].lost = rounds_.lost()[r];
        return texts;
    }

    void gather_all_facts() {
        int size = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        e_.ranks.resize(size);
        for (int r = 0; r < size; ++r) e_.ranks[r].rank = r;
        RankFacts mine;
        guarded("asking the system and CUDA", 3, [&] { mine = gather_facts(rank_); });
        if (root() && !options_.json.empty()) mine.json = check_output_path(options_.json, true, 0);
        const auto texts = gather("facts", text_of(mine), 3);
        for (int r = 0; r < size; ++r) {
            if (texts[r]) e_.ranks[r] = Json::parse(*texts[r]).get<RankFacts>();
        }
    }

    std::vector<int> live() const {
        std::vector<int> ranks;
        for (int r = 0; r < static_cast<int>(e_.ranks.size()); ++r) {
            if (rounds_.alive(r)) ranks.push_back(r);
        }
        return ranks;
    }

    void find_nodes() {
        const std::vector<int> present = live();
        guarded("finding out which ranks share memory", 1, [&] {
            MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_group(MPI_COMM_WORLD, &world);
            MPI_Group_incl(world, static_cast<int>(present.size()), present.data(), &group);
            MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);  // collective over those present alone
            MPI_Group_free(&group);
            MPI_Group_free(&world);
            topology_ = discover_topology(comm);
            MPI_Comm_free(&comm);
        });
        for (std::size_t i = 0; i < present.size(); ++i) e_.ranks[present[i]].node = topology_.node_of[i];
        e_.cores.resize(topology_.node_count);
        e_.windows.resize(topology_.node_count);
        const auto texts = gather("nodes", std::to_string(topology_.cores));
        for (const int r : live()) e_.cores[e_.ranks[r].node] = std::stoi(*texts[r]);
        for (const RankFacts& r : e_.ranks) {
            if (r.node == e_.ranks[rank_].node) node_.push_back(r.rank);
        }
        choose_devices();
    }

    /// As place_rank() does, from the facts that every rank has.
    void choose_devices() {
        for (int node = 0; node < topology_.node_count; ++node) {
            std::vector<RankFacts*> users;
            std::vector<RankDevices> offers;
            for (RankFacts& r : e_.ranks) {
                if (r.node != node || r.devices.empty()) continue;
                users.push_back(&r);
                RankDevices& offer = offers.emplace_back();
                offer.numa = r.numa;
                for (const DeviceFacts& d : r.devices) offer.devices.push_back({d.ordinal, d.name, d.uuid, d.pci, d.numa});
            }
            const std::vector<int> chosen = assign_devices(offers);
            std::map<std::string, int> sharers;
            for (std::size_t i = 0; i < users.size(); ++i) ++sharers[users[i]->devices[users[i]->device = chosen[i]].uuid];
            for (RankFacts* r : users) r->sharers = sharers[r->devices[r->device].uuid];
        }
    }

    int node_rank() const { return static_cast<int>(std::find(node_.begin(), node_.end(), rank_) - node_.begin()); }

    void examine_host() {
        std::optional<SharedWindow> window;
        Outcome mine{"ok", ""};
        const int ranks = static_cast<int>(node_.size());
        guarded("making a shared window", 1, [&] {
            MPI_Comm_set_errhandler(topology_.node.get(), MPI_ERRORS_RETURN);
            try {
                if (ranks > 1) window.emplace(topology_.node.get(), host_window_bytes(ranks), "the doctor's probes");
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
        if (window) memory = make_host_memory(*window, node_rank(), ranks, topology_.poll.spins);
        examine_pairs("pairs on the host", memory.get());
        if (window && rounds_.complete()) guarded("giving the shared window back", 1, [&] { window->close(); });
    }

    void examine_devices() {
        if (std::none_of(e_.ranks.begin(), e_.ranks.end(), [](const RankFacts& r) { return r.device >= 0; })) return;
        std::unique_ptr<DeviceMemory> memory;
        DeviceOffer mine;
#if defined(JACOBI_WITH_CUDA)
        const RankFacts& self = e_.ranks[rank_];
        guarded("allocating device memory", 3, [&] {
            if (self.device < 0 || node_.size() < 2) return;
            mine.uuid = self.devices[self.device].uuid;
            try {
                memory = make_cuda_memory(self, node_rank(), static_cast<int>(node_.size()));
                mine = memory->offer();
            } catch (const Error& error) {
                mine.refusal = error.what();
            }
        });
#endif
        const auto texts = gather("device memory", text_of(mine), 3);
        std::vector<DeviceOffer> offers;
        for (const int r : node_) offers.push_back(texts[r] ? Json::parse(*texts[r]).get<DeviceOffer>() : DeviceOffer{});
        if (memory) memory->accept(offers);
        examine_pairs("pairs of devices", memory.get());
        guarded("closing other ranks' memory", 1, [&] {
            if (memory) memory->close();
        });
        gather("closed device memory");
        guarded("giving device memory back", 1, [&] {
            if (memory && rounds_.complete()) memory->free();
        });
    }

    /// `memory` is null on ranks that have none to examine; all ranks call the roll of every round.
    void examine_pairs(const std::string& step, PairMemory* memory) {
        constexpr int few = 8;  // ranks a node whose pairs are examined one at a time
        std::size_t rounds = 0;
        for (int node = 0; node < topology_.node_count; ++node) {
            const auto size = std::count_if(e_.ranks.begin(), e_.ranks.end(), [&](const RankFacts& r) { return r.node == node; });
            rounds = std::max(rounds, pair_rounds(static_cast<int>(size), size <= few).size());
        }
        const int size = static_cast<int>(node_.size());
        const std::vector<PairRound> mine = pair_rounds(size, size <= few);
        for (std::size_t round = 0; round < rounds; ++round) {
            Json results = Json::array();
            ++talks_;
            if (memory != nullptr && round < mine.size()) {
                for (const auto& [a, b] : mine[round]) {
                    if (a == node_rank() || b == node_rank()) examine_pair(step, *memory, a == node_rank() ? b : a, results);
                }
            }
            for (const auto& text : gather(step, text_of(results))) {
                if (!text) continue;
                for (const Json& result : Json::parse(*text)) e_.pairs.push_back(result.get<PairResult>());
            }
        }
    }

    void examine_pair(const std::string& step, PairMemory& memory, int partner_node_rank, Json& results) {
        const int partner = node_[partner_node_rank];
        if (!rounds_.alive(partner)) return;
        constexpr int first_tag = 1 << 14, tags = 1 << 14;  // behind those of the roll calls; MPI promises tags up to 32767
        guarded(step, 1, [&] {
            Talk talk(mail_, rank_, partner, first_tag + talks_ * Talk::most_meetings % tags, options_.limit_s);
            results.push_back(check_pair(memory, partner_node_rank, talk));
        });
    }

    static int publish(const Examination& e, const DoctorOptions& options, bool color) {
        const std::vector<Finding> findings = advise(e);
        std::fputs(report_text(e, findings, color).c_str(), stdout);
        std::fflush(stdout);
        if (!options.json.empty()) replace_file(options.json, report_json(e, findings));
        return full_function(findings) ? 0 : 1;
    }

    int report() {
        gather("the end");
        const int status = root() ? publish(e_, options_, color_) : full_function(advise(e_)) ? 0 : 1;
        if (!rounds_.complete() && root())
            throw Error("ranks are lost, so the job ends here; the report above is complete otherwise");
        mail_.flush(Deadline(options_.limit_s));
        return status;
    }

    DoctorOptions options_;
    int thread_level_;
    int rank_ = 0;
    bool color_ = false;
    Mail mail_;
    Rounds rounds_;
    Topology topology_;
    std::vector<int> node_;  ///< ranks of this node
    int talks_ = 0;          ///< rounds of pairs so far
    Examination e_;
};

}  // namespace

int examine(const DoctorOptions& options, int thread_level) { return Doctor(options, thread_level).run(); }

}  // namespace jacobi::doctor
