// CUDA IPC: what the CUDA rungs need of it beyond PeerMemory.
#pragma once

#include <cuda_runtime.h>

#include <map>

#include "handles.hpp"
#include "peer_memory.hpp"

namespace jacobi {

/// What a CUDA rank puts into PeerRecord::handles.
struct IpcHandles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t events[2];
    bool has_events;
};

class IpcMemory final : public PeerMemory {
 public:
    explicit IpcMemory(const ArenaLayout& layout);
    ~IpcMemory() override;
    IpcMemory(const IpcMemory&) = delete;
    IpcMemory& operator=(const IpcMemory&) = delete;

    const char* transport() const override { return "ipc"; }
    std::byte* own() const override { return static_cast<std::byte*>(arena_.get()); }
    PeerRecord record() const override;
    std::byte* open(int node_rank, const PeerRecord& record) override;
    void close_peers() override;
    void free() override;

    /// Can this device share events with other processes? (Rung `event` needs it.)
    bool has_events() const { return has_events_; }
    /// Two events a rank, by parity of the generation they announce.
    cudaEvent_t own_event(int parity) const { return events_[parity].get(); }
    /// Those of an opened peer.
    cudaEvent_t peer_event(int node_rank, int parity) const;

 private:
    struct Peer {
        void* arena = nullptr;
        cuda::Event events[2];
    };

    ArenaLayout layout_;
    cuda::Unique<void*, cuda::free_device> arena_;
    bool has_events_ = false;
    cuda::Event events_[2];
    std::map<int, Peer> peers_;  ///< by node rank: a peer met in several directions is opened once
};

}  // namespace jacobi
