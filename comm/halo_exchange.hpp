// One rank's block among its neighbours: arena, edges, rung, and the loop of passes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "depths.hpp"
#include "memory/memory_need.hpp"
#include "peer_rates.hpp"
#include "sync/synchroniser.hpp"

namespace jacobi {

struct ExchangeOptions {
    std::string transport = "auto";
    std::string sync = "auto";
    std::optional<int> temporal_depth;  ///< none: auto
    std::optional<int> halo_depth;      ///< none: auto
    bool overlap = true;
    double timeout_s = 60;
    bool force = false;                  ///< use a rung that would be refused
    int device_sharers = 1;              ///< most ranks on one device anywhere
    int own_device_sharers = 1;          ///< ranks on this rank's
    bool multi_process_service = false;  ///< ranks that share a device do so under MPS
    bool without_fields = false;         ///< a dry run: no memory for fields, so nothing behind the constructor but close()
};

class HaloExchange {
 public:
    /// Collective. Allocates and maps memory, chooses transports and rung, fills generation 0 everywhere. All references outlive
    /// it. After a collective Error (something is refused) all ranks have given back what they had, and may try something else.
    HaloExchange(const Topology& topology, const Decomposition& decomposition, Backend& backend, const Problem& problem,
                 Precision precision, const ExchangeOptions& options);
    HaloExchange(const HaloExchange&) = delete;
    HaloExchange& operator=(const HaloExchange&) = delete;

    /// Bytes of shareable memory that a rank with this block allocates.
    std::size_t arena_bytes(const Box& block) const;

    /// Collective. What the ranks' fields and right-hand sides need, and what is free.
    std::vector<MemoryNeed> memory_needs() const;

    /// Rate at which this rank copies one field buffer to the other (Backend::copy_bandwidth). Call on all ranks at once, before
    /// prepare().
    double measure_copy_bandwidth(double seconds);

    /// The other bounds, of the exchange: collective, before prepare(). See peer_rates.hpp.
    PeerRates measure_peer_rates();

    /// Collective. Fills generation 0; nothing is stored into a neighbour before all ranks have done so. Errors as above, where a
    /// given plan does not fit some rank's block.
    void prepare();

    /// Collective. `sweeps` more sweeps, as many passes of the temporal depth as fit and a shallower one for the rest; returns
    /// when this rank's are done.
    void advance(Index sweeps);

    /// Collective. Afterwards this rank's halos of the current generation may be read, until the next advance().
    void make_halos_readable();

    Generation generation() const { return generation_; }  ///< passes so far
    Index iteration() const { return iteration_; }         ///< sweeps so far
    const Depths& depths() const { return depths_; }
    NoticeBoard& notices() { return board_; }  ///< generations that this node's ranks have announced
    const Box& block() const { return setup_.block; }
    const std::vector<Edge>& edges() const { return edges_; }
    const std::string& rung() const { return rung_.name; }
    bool overlaps() const { return rung_.synchroniser->overlaps(); }  ///< see Synchroniser
    const std::string& rung_reason() const { return rung_.reason; }
    double wait_seconds() const { return rung_.synchroniser->wait_seconds(); }  ///< host time spent in the rung's waits so far

    /// Collective, on the success path only: device done, barrier, close peers, barrier, free.
    void close();

 private:
    std::unique_ptr<PeerMemory> allocate() const;
    void wait_done();
    void release();
    SyncContext sync_context();

    const Topology& topology_;
    Decomposition decomposition_;
    Backend& backend_;
    ExchangeOptions options_;
    Precision precision_;
    bool rhs_;  ///< the problem has a right-hand side
    Depths depths_;
    ArenaLayout layout_;
    std::unique_ptr<PeerMemory> memory_;
    NoticeBoard board_;
    std::vector<Edge> edges_;
    std::unique_ptr<MessageTransport> messages_;
    ChosenRung rung_;
    BlockSetup setup_;
    Generation generation_ = 0;
    Index iteration_ = 0;
};

}  // namespace jacobi
