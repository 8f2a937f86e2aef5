// The halo plan: which neighbour a rank has in which direction, and how cells get there.
#pragma once

#include <string>
#include <vector>

#include "decomposition.hpp"
#include "memory/peer_memory.hpp"
#include "topology.hpp"

namespace jacobi {

/// One direction of one rank. Both ends agree on the transport.
struct Edge {
    int rank = 0;
    int neighbour = 0;
    Direction direction;
    std::string transport;      ///< "self", "ipc", "shm", "mpi", "nccl"
    std::string reason;         ///< why this transport
    std::byte* peer = nullptr;  ///< the neighbour's arena as this rank addresses it; null: halos travel as messages
    std::uint64_t bytes = 0;    ///< that the rank sends this way in a pass (of the box around what is needed)
    bool self() const { return rank == neighbour; }
    /// Are halos stored straight into the neighbour's memory? Rungs synchronise these edges, and these only.
    bool mapped() const { return peer != nullptr; }
    bool message() const { return !transport.empty() && peer == nullptr; }
};

/// This rank's edges with their transport still open: its neighbours in directions_of_depth(depth), in that order.
std::vector<Edge> neighbours_of(const Decomposition& decomposition, int rank, int depth);

/// Collective. Maps the neighbours' arenas and chooses each edge's transport: "self"; what `memory` provides for ranks of one
/// node, each used only after it opened and passed the probe (probe.hpp); or messages. `forced` is comm.transport. Throws Error
/// (collective) listing the edges for which no transport is left, with reasons.
std::vector<Edge> connect_edges(const Topology& topology, const Decomposition& decomposition, const ArenaLayout& layout,
                                PeerMemory& memory, class Backend& backend, const std::string& forced);

/// Collective: the edges of all ranks in rank order, without their addresses, on every rank.
std::vector<Edge> gather_edges(const Topology& topology, const std::vector<Edge>& edges);

/// Collective: every rank's text on every rank.
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& text);

}  // namespace jacobi
