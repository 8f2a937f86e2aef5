#include "ipc_memory.hpp"

#include <cstring>

namespace jacobi {

static_assert(sizeof(IpcHandles) <= sizeof(PeerRecord::handles));

IpcMemory::IpcMemory(const ArenaLayout& layout) : layout_(layout) {
    // Plain cudaMalloc, 2 MiB pieces, nothing else in it: legacy IPC exports the whole allocation an address belongs to, and
    // pools, managed and sub-allocated memory not at all.
    void* raw = nullptr;
    const cudaError_t status = cudaMalloc(&raw, layout.bytes);
    if (status == cudaErrorMemoryAllocation) {
        std::size_t free_bytes = 0, total = 0;
        (void)cudaGetLastError();
        (void)cudaMemGetInfo(&free_bytes, &total);
        throw Error("this rank's fields need " + std::to_string(layout.bytes) + " bytes of device memory, " +
                    std::to_string(free_bytes) + " of " + std::to_string(total) +
                    " are free: use a smaller grid, more GPUs or precision: float");
    }
    cuda::check(status, "cudaMalloc of the arena");
    arena_ = cuda::Unique<void*, cuda::free_device>(raw);
    int device = 0, supported = 0;
    JACOBI_CUDA(cudaGetDevice(&device));
    JACOBI_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, device));
    has_events_ = supported != 0;
    if (has_events_) {
        for (auto& event : events_) event = cuda::make_event(cudaEventDisableTiming | cudaEventInterprocess);
    }
}

IpcMemory::~IpcMemory() {
    // On the success path free() has emptied this. After an error the process is about to end: peers may still use the arena, so
    // it is left to the driver.
    (void)std::exchange(arena_, {}).get();
}

PeerRecord IpcMemory::record() const {
    PeerRecord record;
    record.element = static_cast<std::uint32_t>(layout_.field.element);
    for (int a = 0; a < 3; ++a) record.extent[a] = layout_.field.extent[a];
    record.halo = layout_.field.halo;
    record.bytes = layout_.bytes;
    IpcHandles handles{};
    JACOBI_CUDA(cudaIpcGetMemHandle(&handles.memory, arena_.get()));
    handles.has_events = has_events_;
    for (int p = 0; has_events_ && p < 2; ++p) JACOBI_CUDA(cudaIpcGetEventHandle(&handles.events[p], events_[p].get()));
    std::memcpy(record.handles.data(), &handles, sizeof handles);
    return record;
}

std::byte* IpcMemory::open(int node_rank, const PeerRecord& record) {
    Peer& peer = peers_[node_rank];
    if (peer.arena != nullptr) return static_cast<std::byte*>(peer.arena);
    IpcHandles handles;
    std::memcpy(&handles, record.handles.data(), sizeof handles);
    JACOBI_CUDA(cudaIpcOpenMemHandle(&peer.arena, handles.memory, cudaIpcMemLazyEnablePeerAccess));
    for (int p = 0; has_events_ && handles.has_events && p < 2; ++p) {
        cudaEvent_t event = nullptr;
        JACOBI_CUDA(cudaIpcOpenEventHandle(&event, handles.events[p]));
        peer.events[p] = cuda::Event(event);
    }
    return static_cast<std::byte*>(peer.arena);
}

cudaEvent_t IpcMemory::peer_event(int node_rank, int parity) const { return peers_.at(node_rank).events[parity].get(); }

void IpcMemory::close_peers() {
    for (auto& [node_rank, peer] : peers_) {
        for (auto& event : peer.events) event.reset();
        if (peer.arena != nullptr) JACOBI_CUDA(cudaIpcCloseMemHandle(peer.arena));
    }
    peers_.clear();
}

void IpcMemory::free() {
    for (auto& event : events_) event.reset();
    arena_.reset();
}

std::unique_ptr<PeerMemory> make_ipc_memory(const ArenaLayout& layout) { return std::make_unique<IpcMemory>(layout); }

}  // namespace jacobi
