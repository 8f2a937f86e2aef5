// Generations announced by the ranks of a node to each other's hosts, and a way to say in an error who is late.
#pragma once

#include <atomic>
#include <optional>

#include "backend.hpp"
#include "memory/shared_window.hpp"
#include "topology.hpp"

namespace jacobi {

/// One 64-bit word a rank, each in its own line of a small shared window: only its owner writes it, and it only grows.
class NoticeBoard {
 public:
    explicit NoticeBoard(const Topology& topology);

    /// Release: whatever this rank's host did before is visible to whoever reads g.
    void publish(Generation g) { word(topology_.node.rank()).store(g, std::memory_order_release); }
    /// Acquire.
    Generation seen(int rank) const { return word(topology_.node_rank_of[rank]).load(std::memory_order_acquire); }
    /// Is the rank on this node, so that seen() means something?
    bool covers(int rank) const { return topology_.same_node(rank, topology_.rank()); }

    /// "rank 3 (host) waited 60 s for generation 18 of rank 2 (z+), which is at 17" for an error.
    /// `at`: where that rank was seen, if the caller knows better than the board.
    std::string describe_wait(int neighbour, const std::string& direction, Generation expected, double seconds,
                              std::optional<Generation> at = std::nullopt) const;

    void close() { window_.close(); }

 private:
    std::atomic_ref<Generation> word(int node_rank) const {
        return std::atomic_ref<Generation>(*reinterpret_cast<Generation*>(words_[node_rank]));
    }

    const Topology& topology_;
    SharedWindow window_;
    std::vector<std::byte*> words_;  ///< by node rank
};
static_assert(std::atomic_ref<Generation>::is_always_lock_free, "a lock would be private to each process");

}  // namespace jacobi
