#include "flag_links.hpp"

#include <cstdlib>

namespace jacobi {

FlagLinks flag_links(const SyncContext& c, bool raise) {
    FlagLinks links;
    links.timeout_s = c.timeout_s;
    for (const Edge& e : c.edges) {
        if (!e.mapped()) continue;
        const Direction there = e.direction.opposite();
        FlagLinks::Link link;
        link.direction = e.direction;
        link.own = reinterpret_cast<const Generation*>(c.memory.own() + ArenaLayout::counter(e.direction));
        link.there = raise ? reinterpret_cast<Generation*>(e.peer + ArenaLayout::counter(there)) : nullptr;
        if (face_of(e.direction) >= 0) {  // persistent passes are one sweep deep where they have tiles: faces only
            link.own_tiles = reinterpret_cast<const Generation*>(c.memory.own() + ArenaLayout::tile(face_of(e.direction)));
            link.there_tiles = reinterpret_cast<Generation*>(e.peer + ArenaLayout::tile(face_of(there)));
        }
        link.self = e.self();
        links.links.push_back(link);
    }
    // All ranks cut their blocks alike: by the smallest device's limit and the smallest block, so that no tile anywhere is empty.
    // (An empty tile at a face would announce rows that its neighbour within the rank computes.)
    std::array<Index, 3> least{c.backend.persistent_limit(), c.block[1], c.block[2]};
    MPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_INT64_T, MPI_MIN, c.topology.world.get());
    links.tiles = choose_tiles(static_cast<int>(least[0]), least[1], least[2]);
    return links;
}

void require_no_flag_timeout(const SyncContext& c) {
    const auto timeout = c.backend.flag_timeout();
    if (!timeout) return;
    for (const Edge& e : c.edges) {
        if (e.direction == timeout->direction)
            throw Error(c.board.describe_wait(e.neighbour, name(e.direction), timeout->expected, c.timeout_s, timeout->seen));
    }
    throw Error("rank " + std::to_string(c.topology.rank()) + " (" + c.topology.host +
                "): a tile waited for another tile of this rank for generation " + std::to_string(timeout->expected) +
                " until another wait gave up");
}

std::string refuse_waiting_kernels(const SyncContext& c) {
    // Not even by force: no kernel can wait for a message.
    if (c.messages != nullptr)
        return "halos of some edges travel as messages, which hosts wait for and kernels cannot (use sync: event)";
    return c.force ? "" : waiting_kernels_fault(c);
}

std::string waiting_kernels_fault(const SyncContext& c) {
    if (c.backend.name() != "cuda") return {};
    const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
    if (blocking != nullptr && std::string(blocking) != "0") {
        return "CUDA_LAUNCH_BLOCKING makes every launch wait for its kernel, which waits for a neighbour (use sync: event)";
    }
    if (c.device_sharers > 1 && !c.multi_process_service) {
        return "ranks share a GPU without MPS, where kernels that wait take turns with those they wait for (use sync: event, "
               "start MPS, or set comm.force: slow, not wrong)";
    }
    return {};
}

}  // namespace jacobi
