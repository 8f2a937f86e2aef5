#include "edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "backend.hpp"
#include "layers.hpp"
#include "probe.hpp"

namespace jacobi {

std::vector<Edge> neighbours_of(const Decomposition& decomposition, int rank, int depth) {
    std::vector<Edge> edges;
    for (const Direction direction : directions_of_depth(depth)) {
        const auto neighbour = decomposition.neighbour(rank, direction);
        if (neighbour) edges.push_back({rank, *neighbour, direction, {}, {}, nullptr});
    }
    return edges;
}

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& text) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    const int mine = static_cast<int>(text.size());
    std::vector<int> lengths(size), starts(size, 0);
    MPI_Allgather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
    for (int r = 1; r < size; ++r) starts[r] = starts[r - 1] + lengths[r - 1];
    std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
    MPI_Allgatherv(text.data(), mine, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, comm);
    std::vector<std::string> texts;
    for (int r = 0; r < size; ++r) texts.push_back(all.substr(starts[r], lengths[r]));
    return texts;
}

std::vector<Edge> gather_edges(const Topology& topology, const std::vector<Edge>& edges) {
    std::string mine;
    for (const Edge& e : edges)
        mine += fmt::format("{}\t{}\t{}\t{}\t{}\n", e.rank, e.neighbour, e.direction.code, e.transport, e.reason);
    std::vector<Edge> all;
    for (const std::string& text : gather_texts(topology.world.get(), mine)) {
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line)) {
            Edge e;
            std::istringstream fields(line);
            fields >> e.rank >> e.neighbour >> e.direction.code;
            fields.ignore(1);
            std::getline(fields, e.transport, '\t');
            std::getline(fields, e.reason);
            all.push_back(std::move(e));
        }
    }
    return all;
}

namespace {

/// Opens what can be opened; an edge that cannot keeps an empty transport and gets the reason.
void open_edges(const Topology& topology, const Decomposition& decomposition, const ArenaLayout& layout, PeerMemory& memory,
                std::vector<Edge>& edges) {
    std::vector<PeerRecord> records(topology.node.size());
    const PeerRecord mine = memory.record();
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, records.data(), sizeof mine, MPI_BYTE, topology.node.get());
    for (Edge& e : edges) {
        if (e.self()) {
            e.peer = memory.own();
            e.transport = "self";
            e.reason = "own neighbour on a periodic axis";
            continue;
        }
        if (!topology.same_node(e.rank, e.neighbour)) {
            e.reason = "another node, and this build has no transport between nodes";
            continue;
        }
        const int node_rank = topology.node_rank_of[e.neighbour];
        const FieldLayout expected(decomposition.block(e.neighbour).extent(), layout.field.halo, layout.field.element);
        e.reason = records[node_rank].mismatch(ArenaLayout(expected));
        if (!e.reason.empty()) continue;
        try {
            e.peer = memory.open(node_rank, records[node_rank]);
            e.transport = memory.transport();
        } catch (const Error& error) {
            e.reason = error.what();
        }
    }
}

[[noreturn]] void refuse(const std::vector<Edge>& all, const std::vector<std::string>& hosts) {
    std::string text = "no transport for";
    int shown = 0;
    for (const Edge& e : all) {
        if (!e.transport.empty()) continue;
        if (++shown > 8) {
            text += "\n  ...";
            break;
        }
        text += fmt::format("\n  rank {} ({}) {} -> rank {} ({}): {}", e.rank, hosts[e.rank], name(e.direction), e.neighbour,
                            hosts[e.neighbour], e.reason);
    }
    throw Error(text, Exit::failure, true);
}

}  // namespace

std::vector<Edge> connect_edges(const Topology& topology, const Decomposition& decomposition, const ArenaLayout& layout,
                                PeerMemory& memory, Backend& backend, const std::string& forced) {
    std::vector<Edge> edges = neighbours_of(decomposition, topology.rank(), layout.field.halo);
    if (forced != "auto" && forced != memory.transport()) {
        throw Error(fmt::format("comm.transport: {} cannot be had with the {} back end, which offers {}", forced, backend.name(),
                                memory.transport()),
                    Exit::failure, true);
    }
    open_edges(topology, decomposition, layout, memory, edges);
    probe_edges(topology, memory, backend, edges);
    const std::vector<Edge> all = gather_edges(topology, edges);
    if (std::any_of(all.begin(), all.end(), [](const Edge& e) { return e.transport.empty(); })) refuse(all, topology.host_of);
    return edges;
}

}  // namespace jacobi
