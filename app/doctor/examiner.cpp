#include "examiner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "facts.hpp"
#include "placement.hpp"

namespace jacobi::doctor {

Examiner::Examiner(double limit_s, int thread_level, std::function<void(const Examination&)> last_words)
    : limit_s_(limit_s), last_words_(std::move(last_words)), mail_(MPI_COMM_WORLD), rounds_(mail_, 2 * limit_s) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    e_.limit_s = limit_s;
    e_.mpi = mpi_facts(thread_level);
}

std::vector<std::optional<std::string>> Examiner::gather(const std::string& step, const std::string& text, double patience) {
    auto texts = rounds_.gather(step, text, patience);
    for (std::size_t r = 0; r < e_.ranks.size(); ++r) e_.ranks[r].lost = rounds_.lost()[r];
    return texts;
}

std::vector<int> Examiner::live() const {
    std::vector<int> ranks;
    for (int r = 0; r < static_cast<int>(e_.ranks.size()); ++r) {
        if (rounds_.alive(r)) ranks.push_back(r);
    }
    return ranks;
}

int Examiner::node_rank() const { return static_cast<int>(std::find(node_.begin(), node_.end(), rank_) - node_.begin()); }

void Examiner::gather_all_facts(const std::string& json) {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    e_.ranks.resize(size);
    for (int r = 0; r < size; ++r) e_.ranks[r].rank = r;
    RankFacts mine;
    guarded("asking the system and CUDA", 3, [&] { mine = gather_facts(rank_); });
    mine.json = json;
    const auto texts = gather("facts", text_of(mine), 3);
    for (int r = 0; r < size; ++r) {
        if (texts[r]) e_.ranks[r] = nlohmann::json::parse(*texts[r]).get<RankFacts>();
    }
}

void Examiner::find_nodes() {
    const std::vector<int> present = live();
    Topology topology;
    guarded("finding out which ranks share memory", 1, [&] {
        const Communicator comm = communicator_of(present);
        topology = discover_topology(comm.get());
    });
    spins_ = topology.poll.spins;
    for (std::size_t i = 0; i < present.size(); ++i) e_.ranks[present[i]].node = topology.node_of[i];
    e_.cores.resize(topology.node_count);
    e_.windows.resize(topology.node_count);
    const auto texts = gather("nodes", std::to_string(topology.cores));
    for (const int r : live()) {
        e_.cores[e_.ranks[r].node] = std::stoi(*texts[r]);
        if (e_.ranks[r].node == e_.ranks[rank_].node) node_.push_back(r);
    }
    choose_devices();
}

/// As place_rank() does, from the facts that every rank has.
void Examiner::choose_devices() {
    for (int node = 0; node < static_cast<int>(e_.cores.size()); ++node) {
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

void Examiner::finish() {
    gather("the end");
    if (complete()) mail_.flush(Deadline(limit_s_));
}

Communicator communicator_of(const std::vector<int>& ranks) {
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return Communicator(comm);
}

}  // namespace jacobi::doctor
