#include "flag_links.hpp"

#include <cstdlib>

namespace jacobi {

FlagLinks flag_links(const SyncContext& c, bool raise) {
    FlagLinks links;
    links.timeout_s = c.timeout_s;
    std::vector<int> mine(c.edges.size());
    std::vector<MPI_Request> requests;
    links.links.resize(c.edges.size());
    for (std::size_t i = 0; i < c.edges.size(); ++i) {
        const Edge& e = c.edges[i];
        const Direction there = e.direction.opposite();
        FlagLinks::Link& link = links.links[i];
        link.direction = e.direction;
        link.own = reinterpret_cast<const Generation*>(c.memory.own() + ArenaLayout::counter(e.direction));
        link.there = raise ? reinterpret_cast<Generation*>(e.peer + ArenaLayout::counter(there)) : nullptr;
        for (int p = 0; p < 2; ++p) {
            link.own_arrivals[p] = reinterpret_cast<const std::uint64_t*>(c.memory.own() + ArenaLayout::arrival(e.direction, p));
            link.there_arrivals[p] = reinterpret_cast<std::uint64_t*>(e.peer + ArenaLayout::arrival(there, p));
        }
        // The neighbour's tiles at the face it shares with this rank arrive here. Tags tell directions apart where a neighbour is
        // met in several.
        mine[i] = c.backend.persistent_tiles(e.direction);
        requests.resize(requests.size() + 2);
        MPI_Irecv(&link.neighbour_tiles, 1, MPI_INT, e.neighbour, there.code, c.topology.world.get(),
                  &requests[requests.size() - 2]);
        MPI_Isend(&mine[i], 1, MPI_INT, e.neighbour, e.direction.code, c.topology.world.get(), &requests[requests.size() - 1]);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return links;
}

void require_no_flag_timeout(const SyncContext& c) {
    const auto timeout = c.backend.flag_timeout();
    if (!timeout) return;
    for (const Edge& e : c.edges) {
        if (e.direction == timeout->direction)
            throw Error(c.board.describe_wait(e.neighbour, name(e.direction), timeout->expected, c.timeout_s));
    }
    throw Error("rank " + std::to_string(c.topology.rank()) + " (" + c.topology.host +
                "): a tile waited for another tile of this rank for generation " + std::to_string(timeout->expected) +
                " until another wait gave up");
}

std::string refuse_waiting_kernels(const SyncContext& c) {
    if (c.backend.name() != "cuda" || c.force) return {};
    const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
    if (blocking != nullptr && std::string(blocking) != "0") {
        return "CUDA_LAUNCH_BLOCKING makes every launch wait for its kernel, which waits for a neighbour (use sync: event)";
    }
    if (c.device_sharers > 1 && !c.multi_process_service) {
        return "ranks share a GPU without MPS, where kernels that wait take turns with those they wait for (use sync: event, "
               "start MPS, or set "
               "comm.force: slow, not wrong)";
    }
    return {};
}

}  // namespace jacobi
