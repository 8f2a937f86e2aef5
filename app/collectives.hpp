// What all ranks of a run do together outside the sweeps, over MPI_COMM_WORLD.
#pragma once

#include <functional>
#include <string>

#include "topology.hpp"
#include "watchdog.hpp"

namespace jacobi {

/// Collective. Rank 0's text on all ranks.
std::string broadcast(std::string text);

/// Collective. The largest of all ranks' seconds.
double slowest(double seconds);

/// Bounds work that waits inside libraries: set-up, files and verification. Its limit is generous and grows with the work.
class Guards {
 public:
    /// `where`: this rank, for messages.
    Guards(double timeout_s, std::string where) : seconds_(5 * timeout_s), where_(std::move(where)) {}
    /// The messages name the ranks that are in no state to answer, too. `topology` outlives this.
    Guards(double timeout_s, const Topology& topology);
    Watchdog guard(const std::string& what, double extra_seconds, std::function<void()> last_words = {}) const {
        return {what, seconds_ + extra_seconds, where_, std::move(last_words), suspects_};
    }

 private:
    double seconds_;
    std::string where_;
    std::function<std::string()> suspects_;
};

}  // namespace jacobi
