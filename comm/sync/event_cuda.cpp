// Rung `event` on GPUs: CUDA IPC events, so that a GPU waits for its neighbours' and never for its host.
#include <algorithm>

#include "cuda_backend.hpp"
#include "handles.hpp"
#include "memory/ipc_memory.hpp"
#include "rungs.hpp"

namespace jacobi {

namespace {

class CudaEventSync final : public Synchroniser {
 public:
    explicit CudaEventSync(const SyncContext& context)
        : Synchroniser(context),
          memory_(dynamic_cast<IpcMemory&>(context.memory)),
          stream_(dynamic_cast<cuda::CudaBackendBase&>(context.backend).boundary_stream()) {
        for (const Edge& e : context.edges) {
            const bool known =
                std::any_of(peers_.begin(), peers_.end(), [&](const Edge& p) { return p.neighbour == e.neighbour; });
            if (e.mapped() && !e.self() && !known) peers_.push_back(e);
        }
    }

    void await(Generation g) override {
        // A wait on an event binds to the event's latest record at the time of this call. So the host first makes sure that each
        // neighbour has called its record for generation g: its notice says so. Without the notice the wait could bind to
        // generation g - 2.
        for (const Edge& p : peers_) {
            wait_until([&] { return c_.board.seen(p.neighbour) >= g; }, c_.timeout_s, c_.topology.poll,
                       [&] { return c_.board.describe_wait(p.neighbour, name(p.direction), g, c_.timeout_s); });
        }
        if (g == 0) return;  // generation 0 was in place before the start-up barrier; no event was recorded for it
        for (const Edge& p : peers_) {
            JACOBI_CUDA(cudaStreamWaitEvent(stream_, memory_.peer_event(c_.topology.node_rank_of[p.neighbour], g & 1), 0));
        }
    }

    void raise(Generation g) override {
        // The boundary stream holds every halo reader and every peer store of pass g - 1, in order, so the event completes after
        // all of them. Two events suffice: this record overwrites that of generation g - 2, and every neighbour's notice g - 1,
        // seen in await(g - 1), proves that it has called its wait on generation g - 2.
        // Where nobody waits for it, no record comes between the kernels of two passes (kernels/cuda/early_launch.cuh).
        if (!peers_.empty()) JACOBI_CUDA(cudaEventRecord(memory_.own_event(g & 1), stream_));
        c_.board.publish(g);  // after the record: see await
    }

 private:
    IpcMemory& memory_;
    cudaStream_t stream_;
    std::vector<Edge> peers_;  ///< one edge a distinct neighbour
};

}  // namespace

std::string refuse_event_cuda(const SyncContext& context) {
    if (dynamic_cast<IpcMemory&>(context.memory).has_events()) return {};
    return "this device cannot share events between processes (cudaDevAttrIpcEventSupport is 0)";
}
std::unique_ptr<Synchroniser> make_event_cuda(const SyncContext& context) { return std::make_unique<CudaEventSync>(context); }

}  // namespace jacobi
