// Generations announced by the ranks of a node to each other's hosts, and a way to say in an error who is late.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "backend.hpp"
#include "edges.hpp"
#include "memory/shared_window.hpp"
#include "topology.hpp"

namespace jacobi {

/// Three 64-bit words a rank, each in its own line of a small shared window: only their owner writes them, and they only grow.
class NoticeBoard {
 public:
    explicit NoticeBoard(const Topology& topology);

    /// Release: whatever this rank's host did before is visible to whoever reads g.
    void publish(Generation g) { word(topology_.node.rank()).store(g, std::memory_order_release); }
    /// Acquire.
    Generation seen(int rank) const { return word(topology_.node_rank_of[rank]).load(std::memory_order_acquire); }
    /// The same for the number of reductions that the rank has come to, which is for error messages only.
    void publish_reduction(Generation n) { word(topology_.node.rank(), 1).store(n, std::memory_order_release); }
    Generation seen_reduction(int rank) const { return word(topology_.node_rank_of[rank], 1).load(std::memory_order_acquire); }
    // While a rank waits in a reduction it beats, so that others can tell a rank that waits from one that has stopped there.
    void beat() { word(topology_.node.rank(), 2).store(beats(topology_.rank()) + 1, std::memory_order_relaxed); }
    void end_beating() { word(topology_.node.rank(), 2).store(0, std::memory_order_relaxed); }
    /// Ranks of this node that have begun to beat, have not ended it, and do not beat now. Takes a tenth of a second, in which
    /// this rank beats.
    std::vector<int> unmoved();
    /// Is the rank on this node, so that seen() means something?
    bool covers(int rank) const { return topology_.same_node(rank, topology_.rank()); }

    /// "rank 3 (host) waited 60 s for generation 18 of rank 2 (z+), which is at 17" for an error.
    /// `at`: where that rank was seen, if the caller knows better than the board.
    std::string describe_wait(int neighbour, const std::string& direction, Generation expected, double seconds,
                              std::optional<Generation> at = std::nullopt) const;

    /// For an error: this rank's device has not come to generation g in so many seconds. Names the first neighbour of the node
    /// that it waits for, as far as the board tells.
    std::string describe_stall(const std::vector<Edge>& edges, Generation g, double seconds) const;

    void close() { window_.close(); }

 private:
    Generation beats(int rank) const { return word(topology_.node_rank_of[rank], 2).load(std::memory_order_relaxed); }
    std::atomic_ref<Generation> word(int node_rank, int index = 0) const {
        return std::atomic_ref<Generation>(*reinterpret_cast<Generation*>(words_[node_rank] + index * 128));
    }

    const Topology& topology_;
    SharedWindow window_;
    std::vector<std::byte*> words_;  ///< by node rank
};
static_assert(std::atomic_ref<Generation>::is_always_lock_free, "a lock would be private to each process");

}  // namespace jacobi
