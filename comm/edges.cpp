#include "edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "backend.hpp"
#include "layers.hpp"
#include "probe.hpp"
#include "transport/message_transport.hpp"

namespace jacobi {

std::vector<Edge> neighbours_of(const Decomposition& decomposition, int rank, int depth) {
    std::vector<Edge> edges;
    for (const Direction direction : directions_of_depth(depth)) {
        const auto neighbour = decomposition.neighbour(rank, direction);
        if (neighbour) edges.push_back({rank, *neighbour, direction, {}, {}, nullptr, 0});
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
        mine += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", e.rank, e.neighbour, e.direction.code, e.bytes, e.transport, e.reason);
    std::vector<Edge> all;
    for (const std::string& text : gather_texts(topology.world.get(), mine)) {
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line)) {
            Edge e;
            std::istringstream fields(line);
            fields >> e.rank >> e.neighbour >> e.direction.code >> e.bytes;
            fields.ignore(1);
            std::getline(fields, e.transport, '\t');
            std::getline(fields, e.reason);
            all.push_back(std::move(e));
        }
    }
    return all;
}

namespace {

/// Opens what can be opened; an edge that cannot keeps an empty transport and gets the reason. `distinct`: other ranks' memory
/// too. Returns the fault of a neighbour that is not of this run's making, with which no transport could exchange anything.
std::string open_edges(const Topology& topology, const Decomposition& decomposition, const ArenaLayout& layout,
                       PeerMemory& memory, bool distinct, std::vector<Edge>& edges) {
    std::vector<PeerRecord> records(topology.node.size());
    const PeerRecord mine = memory.record();
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, records.data(), sizeof mine, MPI_BYTE, topology.node.get());
    std::string fault;
    for (Edge& e : edges) {
        if (e.self()) {
            e.peer = memory.own();
            e.transport = "self";
            e.reason = "own neighbour on a periodic axis";
            continue;
        }
        if (!topology.same_node(e.rank, e.neighbour)) {
            e.reason = "another node";
            continue;
        }
        const int node_rank = topology.node_rank_of[e.neighbour];
        e.reason = records[node_rank].mismatch(layout.with(decomposition.block(e.neighbour).extent()));
        if (!e.reason.empty()) fault = e.reason;
        if (!e.reason.empty() || !distinct) continue;
        try {
            e.peer = memory.open(node_rank, records[node_rank]);
            e.transport = memory.transport();
        } catch (const Error& error) {
            e.reason = error.what();
        }
    }
    return fault;
}

/// What could not be mapped goes as messages: both ends of an edge know the same of it. `forced`: null for comm.transport: auto.
void take_messages(const TransportKind& kind, bool forced, std::vector<Edge>& edges) {
    for (Edge& e : edges) {
        if (!e.transport.empty()) continue;
        e.transport = kind.name;
        if (forced) e.reason = "asked for";
    }
}

/// The message transport that edges without a mapping get; null: none.
const TransportKind* messages_for(const std::string& forced) {
    if (forced != "auto") return message_transport(forced);
    const auto& table = message_transports();
    const auto row = std::find_if(table.begin(), table.end(), [](const TransportKind& kind) { return kind.automatic; });
    return row == table.end() ? nullptr : &*row;
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
    const TransportKind* messages = messages_for(forced);
    const bool mapping = forced == "auto" || forced == memory.transport();
    if (!mapping && messages == nullptr) {
        std::string offers = memory.transport();
        for (const TransportKind& kind : message_transports()) {
            if (*kind.backend == '\0' || kind.backend == backend.name()) offers += std::string(", ") + kind.name;
        }
        throw Error(
            fmt::format("comm.transport: {} cannot be had with the {} back end, which offers {}", forced, backend.name(), offers),
            Exit::failure, true);
    }
    const std::string fault = open_edges(topology, decomposition, layout, memory, mapping, edges);
    probe_edges(topology, memory, backend, edges);
    if (messages != nullptr && fault.empty()) take_messages(*messages, !mapping, edges);
    for (Edge& e : edges) {
        if (messages == nullptr && !topology.same_node(e.rank, e.neighbour))
            e.reason += fmt::format(", which {} does not reach (comm.transport: auto takes messages there)", forced);
    }
    for (Edge& e : edges)
        e.bytes = layers_towards(e.direction, layout.field.extent, layout.field.halo).cells() * layout.field.element;
    const std::vector<Edge> all = gather_edges(topology, edges);
    if (std::any_of(all.begin(), all.end(), [](const Edge& e) { return e.transport.empty(); })) refuse(all, topology.host_of);
    return edges;
}

}  // namespace jacobi
