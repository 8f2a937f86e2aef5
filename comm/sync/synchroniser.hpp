// When a rank may read its halos and store into its neighbours': one file a rung of the ladder, this interface for all.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "edges.hpp"
#include "notice_board.hpp"
#include "transport/message_transport.hpp"

namespace jacobi {

/// What a rung works with; outlives it.
struct SyncContext {
    const Topology& topology;
    const Decomposition& decomposition;
    const std::vector<Edge>& edges;
    Backend& backend;
    PeerMemory& memory;
    NoticeBoard& board;
    MessageTransport* messages;  ///< of edges without a mapping; null: there are none anywhere
    const ArenaLayout& layout;   ///< of this rank's arena
    bool launch_bound;           ///< Backend::launch_bound of it
    int temporal_depth;          ///< sweeps of the deepest pass
    bool overlap;
    int device_sharers;          ///< most ranks on one device anywhere
    bool multi_process_service;  ///< ranks that share a device do so under MPS
    bool force;                  ///< comm.force: use the rung although it would be refused
    double timeout_s;
};

class Synchroniser {
 public:
    explicit Synchroniser(const SyncContext& context) : c_(context) {}
    virtual ~Synchroniser() = default;

    /// Collective, once, after the back end has its block and before the first pass.
    virtual void start() {}

    /// Makes all halos of generation g readable, until the next advance(): awaits g, and what comes as messages.
    void make_readable(Generation g);

    /// Passes g, ..., g + passes - 1 of `depth` sweeps each; may return before the device has done them. A rung whose waits are
    /// the host's, or are enqueued by it, provides await and raise and inherits the loop around them; one whose kernels wait
    /// provides this.
    virtual void advance(Generation g, Index passes, int depth);

    /// Do passes launch the boundary apart from the interior?
    virtual bool overlaps() const;

    /// Concerns edges with a mapping (Edge::mapped) only. After await(g) (on the host, or for what is enqueued on the device
    /// afterwards): the stores of generation g into this rank's halos are visible, and every neighbour has stopped reading its
    /// halos of generation g - 1, so generation g + 1 may be stored there (same buffer). May be called again for the same g:
    /// residual checks do. Throws Error after the time limit, naming rank, direction and generations.
    virtual void await(Generation g) = 0;

    /// Called once everything of pass g that reads halos or stores into neighbours has been issued; lets the neighbours' await(g
    /// + 1) pass when that work is done, not earlier.
    virtual void raise(Generation g) = 0;

    /// Throws Error if a wait inside a kernel gave up. Called when the device is done.
    virtual void check() {}

    double wait_seconds() const { return wait_seconds_; }  ///< host time spent in await, and for messages

 protected:
    SyncContext c_;

 private:
    double wait_seconds_ = 0;
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

/// The ladder, in the order in which `auto` prefers rungs for want of a RungPreference.
const std::vector<Rung>& rungs();

/// The rung that `auto` takes before all others, and why; or none.
struct RungPreference {
    std::string rung, reason;
};

/// `launch_bound`: passes are as short as launches. `tiles_wait`: under `flag` each tile would wait for itself: passes of one
/// sweep on a GPU that no other rank uses, no halo a message, and somebody to wait for. (Deep passes wait so too; they have not
/// been measured between GPUs.)
RungPreference preferred_rung(bool launch_bound, bool tiles_wait);

struct RungChoice {
    const Rung* rung = nullptr;  ///< null: none can be used
    std::string reason;          ///< why this one, or why none
};

/// The rung for comm.sync = `asked` on a back end, given each one's refusal. `auto` takes the preferred one, else the first of
/// the ladder, that is not refused.
RungChoice pick_rung(const std::string& asked, const std::string& backend, const RungPreference& preferred,
                     const std::function<std::string(const Rung&)>& refusal);

struct ChosenRung {
    std::unique_ptr<Synchroniser> synchroniser;
    std::string name;
    std::string reason;
};

/// Collective. `asked` is comm.sync; all ranks get the same rung. Throws Error (collective) when the asked one is refused on any
/// rank.
ChosenRung choose_rung(const std::string& asked, const SyncContext& context);

}  // namespace jacobi
