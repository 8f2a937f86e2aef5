#include "flag_links.hpp"

#include <algorithm>
#include <cstdlib>

namespace jacobi {

namespace {

/// What comes across face f goes into the owner's mailbox of face f: neighbours that meet on both sides of a periodic axis keep
/// their faces apart.
void add_mailboxes(const SyncContext& c, FlagLinks& links) {
    for (FlagLinks::Link& link : links.links) {
        const int f = face_of(link.direction), f_there = face_of(link.direction.opposite());
        if (f < 0) continue;
        const Edge& e =
            *std::find_if(c.edges.begin(), c.edges.end(), [&](const Edge& x) { return x.direction == link.direction; });
        const ArenaLayout there = c.layout.with(c.decomposition.block(e.neighbour).extent());
        for (int p = 0; p < 2; ++p) {
            link.own_rims.entries[p] = c.memory.own() + c.layout.rims[f][p];
            link.there_rims.entries[p] = e.peer + there.rims[f_there][p];
        }
    }
}

}  // namespace

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
    const Index3& block = c.layout.field.extent;
    const TileLimits mine = c.backend.tile_limits();
    std::array<Index, 5> least{mine.count, mine.rows, mine.planes, block[1], block[2]};
    MPI_Allreduce(MPI_IN_PLACE, least.data(), 5, MPI_INT64_T, MPI_MIN, c.topology.world.get());
    const auto limit = [&](int i) { return static_cast<int>(least[static_cast<std::size_t>(i)]); };
    links.tiles = choose_tiles({limit(0), limit(1), limit(2)}, least[3], least[4]);
    // Rims go through mailboxes where tiles stay on the chip on every rank, and every rank has mailboxes: neighbours must agree.
    int stay = raise && c.layout.has_rims() && c.backend.tiles_stay(links.tiles) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &stay, 1, MPI_INT, MPI_MIN, c.topology.world.get());
    links.tiles_stay = stay != 0;
    if (links.tiles_stay) add_mailboxes(c, links);
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
