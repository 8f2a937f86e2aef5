// When a rank may read its halos and store into its neighbours': one file a rung of the ladder, this interface for all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "edges.hpp"
#include "notice_board.hpp"

namespace jacobi {

/// Ordering contract. After await(g) (on the host, or for what is enqueued on the device afterwards): the stores of generation g
/// into this rank's halos are visible, and every neighbour has stopped reading its halos of generation g - 1, so generation g + 1
/// may be stored there (same buffer). raise(g + 1) is called once everything of pass g that reads halos or stores into neighbours
/// has been issued; it lets the neighbours' await(g + 1) pass when that work is done, not earlier.
class Synchroniser {
 public:
    virtual ~Synchroniser() = default;
    /// May be called again for the same g. Throws Error after the time limit, naming rank, direction and generations.
    virtual void await(Generation g) = 0;
    virtual void raise(Generation g) = 0;
};

/// What a rung works with; outlives it.
struct SyncContext {
    const Topology& topology;
    const std::vector<Edge>& edges;
    Backend& backend;
    PeerMemory& memory;
    NoticeBoard& board;
    double timeout_s;
};

/// A row of the ladder.
struct Rung {
    const char* name;     ///< comm.sync
    const char* backend;  ///< the back end it is for, "" for any
    const char* summary;
    /// Empty when it can be used here, else the reason. Local.
    std::string (*refusal)(const SyncContext&);
    std::unique_ptr<Synchroniser> (*make)(const SyncContext&);
};

/// The ladder, in the order in which `auto` prefers rungs.
const std::vector<Rung>& rungs();

struct ChosenRung {
    std::unique_ptr<Synchroniser> synchroniser;
    std::string name;
    std::string reason;
};

/// Collective. `asked` is comm.sync; all ranks get the same rung. Throws Error (collective) when the asked one is refused on any
/// rank.
ChosenRung choose_rung(const std::string& asked, const SyncContext& context);

}  // namespace jacobi
