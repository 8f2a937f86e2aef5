// A rank's arena and the mapped arenas of its neighbours on the node. One file a way of sharing memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "arena.hpp"
#include "topology.hpp"

namespace jacobi {

/// What a rank tells the others of its arena: opaque bytes that a back end fills and opens, behind a header that every build of
/// this program understands. Exchanged once, at start-up.
struct PeerRecord {
    static constexpr std::uint32_t current_version = 2;  ///< 2: mailboxes for rims
    char magic[8] = {'j', 'a', 'c', 'o', 'b', 'i', 'P', 'R'};
    std::uint32_t version = current_version;
    std::uint32_t element = 0;  ///< bytes of a value
    std::int64_t extent[3] = {0, 0, 0};
    std::int64_t halo = 0;
    std::uint64_t bytes = 0;  ///< of the arena
    std::array<std::byte, 256> handles{};

    /// Empty when the record is of this build's kind and `expected` describes it too; else what differs.
    std::string mismatch(const ArenaLayout& expected) const;
};

class PeerMemory {
 public:
    virtual ~PeerMemory() = default;
    /// "shm" or "ipc": the name of edges over this memory.
    virtual const char* transport() const = 0;
    virtual std::byte* own() const = 0;
    virtual PeerRecord record() const = 0;
    /// Maps the arena of a rank of this node; at most once a rank. Throws Error with the reason when that cannot be had.
    virtual std::byte* open(int node_rank, const PeerRecord& record) = 0;
    /// Orders this process' plain host accesses to shared arenas with those of others around a barrier or a counter.
    virtual void fence() const {}
    // Tear-down on the success path, in this order with a barrier in between: an arena may be freed only after all peers have
    // closed it. Destructors free nothing that others may still use.
    virtual void close_peers() = 0;  ///< local: lets go of everything opened
    virtual void free() = 0;         ///< collective over the node: gives the own arena back
};

/// Host memory in an MPI-3 shared window. Collective over the node; throws Error (on all ranks of the node alike) when the
/// shared-memory file system is too small.
std::unique_ptr<PeerMemory> make_shared_window(const Topology& topology, const ArenaLayout& layout);

#if defined(JACOBI_WITH_CUDA)
/// Device memory shared by CUDA IPC: one plain cudaMalloc a rank, exported whole.
std::unique_ptr<PeerMemory> make_ipc_memory(const ArenaLayout& layout);
#endif

}  // namespace jacobi
