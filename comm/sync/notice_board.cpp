#include "notice_board.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "processes.hpp"

namespace jacobi {

NoticeBoard::NoticeBoard(const Topology& topology) : topology_(topology), window_(topology, 4096, "the notice board") {
    for (int r = 0; r < topology.node.size(); ++r) words_.push_back(window_.base(r));
    publish(0);
    publish_reduction(0);
    end_beating();
    MPI_Barrier(topology.node.get());  // nobody reads a word before its owner has set it
}

std::vector<int> NoticeBoard::unmoved() {
    std::vector<Generation> before;
    for (int r = 0; r < topology_.size(); ++r) before.push_back(covers(r) ? beats(r) : 0);
    for (int i = 0; i < 100; ++i) {  // others look at the same time: they must not take this rank for one that has stopped
        beat();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::vector<int> ranks;
    for (int r = 0; r < topology_.size(); ++r) {
        if (before[r] != 0 && beats(r) == before[r]) ranks.push_back(r);
    }
    return ranks;
}

std::string NoticeBoard::describe_wait(int neighbour, const std::string& direction, Generation expected, double seconds,
                                       std::optional<Generation> at) const {
    if (!at && covers(neighbour)) at = seen(neighbour);

    const std::string place = at ? fmt::format(", which is at {}", *at) : "";
    return fmt::format(
        "rank {} ({}) waited {} s for generation {} of rank {} ({}) in direction {}{}: is that rank stopped or dead? "
        "(comm.timeout_s sets the limit){}",
        topology_.rank(), topology_.host, seconds, expected, neighbour, topology_.host_of[neighbour], direction, place,
        silent_ranks(topology_));
}

std::string NoticeBoard::describe_stall(const std::vector<Edge>& edges, Generation g, double seconds) const {
    for (const Edge& e : edges) {
        if (!e.self() && covers(e.neighbour) && seen(e.neighbour) < g)
            return describe_wait(e.neighbour, name(e.direction), g, seconds);
    }
    return fmt::format("rank {} ({}): the device did not finish pass {} within {} s{}", topology_.rank(), topology_.host, g - 1,
                       seconds, silent_ranks(topology_));
}

}  // namespace jacobi
