#include "probe.hpp"

#include <algorithm>

#include "backend.hpp"

namespace jacobi {

namespace {

/// Differs by writer, owner and direction, so that a store which lands in a wrong place is seen.
std::uint64_t pattern(int writer, int owner, Direction owner_direction) {
    return mix64(mix64(static_cast<std::uint64_t>(writer) << 32 | static_cast<std::uint32_t>(owner)) + owner_direction.code);
}

bool received(PeerMemory& memory, Backend& backend, const Edge& e) {
    std::array<std::uint64_t, ArenaLayout::probe_words> words{};
    backend.read_words(words.data(), reinterpret_cast<const std::uint64_t*>(memory.own() + ArenaLayout::probe(e.direction)),
                       words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != pattern(e.neighbour, e.rank, e.direction) + i) return false;
    }
    return true;
}

}  // namespace

void probe_edges(const Topology& topology, PeerMemory& memory, Backend& backend, std::vector<Edge>& edges) {
    MPI_Comm world = topology.world.get();
    MPI_Barrier(world);  // every arena's header is zeroed before anyone stores into it
    for (const Edge& e : edges) {
        if (e.transport.empty()) continue;
        const Direction there = e.direction.opposite();
        backend.store_pattern(reinterpret_cast<std::uint64_t*>(e.peer + ArenaLayout::probe(there)),
                              pattern(e.rank, e.neighbour, there), ArenaLayout::probe_words);
    }
    memory.fence();
    MPI_Barrier(world);
    memory.fence();

    // Both ends of an edge exchange whether they opened it and whether they received; tags tell the directions apart where one
    // rank is the neighbour in several.
    std::vector<MPI_Request> requests;
    std::vector<std::array<int, 2>> mine(edges.size()), theirs(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Edge& e = edges[i];
        mine[i] = {e.transport.empty() ? 0 : 1, received(memory, backend, e) ? 1 : 0};
        requests.resize(requests.size() + 2);
        MPI_Irecv(theirs[i].data(), 2, MPI_INT, e.neighbour, e.direction.opposite().code, world, &requests[requests.size() - 2]);
        MPI_Isend(mine[i].data(), 2, MPI_INT, e.neighbour, e.direction.code, world, &requests[requests.size() - 1]);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        Edge& e = edges[i];
        if (mine[i][0] == 0) continue;
        if (theirs[i][0] == 0) {
            e.reason = "the neighbour could not open this rank's memory";
        } else if (theirs[i][1] == 0 || mine[i][1] == 0) {
            e.reason = std::string("opened, but stores do not arrive at ") + (theirs[i][1] == 0 ? "the neighbour" : "this rank") +
                       ": look for PCIe access control (ACS) or an IOMMU between the two";
        } else {
            if (!e.self()) e.reason = "same node, opened and probed";
            continue;
        }
        e.transport.clear();
        e.peer = nullptr;
    }
}

}  // namespace jacobi
