// Pairs through CUDA IPC: the CUDA back end's transport `ipc`.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "faults.hpp"
#include "memory/ipc_memory.hpp"
#include "pair_memory.hpp"
#include "probe_kernels.hpp"
#include "stopwatch.hpp"

namespace jacobi::doctor {
namespace {

constexpr std::size_t data_bytes = std::size_t{64} << 20;
constexpr std::uint64_t data_words = data_bytes / sizeof(std::uint64_t);
constexpr int repetitions = 8;

std::size_t flag_bytes(int node_ranks) {
    constexpr std::size_t unit = ArenaLayout::unit;
    return (static_cast<std::size_t>(node_ranks) * flag_line + unit - 1) / unit * unit;
}

ArenaLayout arena_layout(int node_ranks) {
    ArenaLayout layout;
    layout.bytes = flag_bytes(node_ranks) + data_bytes;
    return layout;
}

std::string to_hex(const PeerRecord& record) {
    std::string text;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&record);
    for (std::size_t i = 0; i < sizeof record; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
}

PeerRecord from_hex(const std::string& text) {
    PeerRecord record;
    auto* bytes = reinterpret_cast<unsigned char*>(&record);
    for (std::size_t i = 0; i < sizeof record && 2 * i + 1 < text.size(); ++i) {
        bytes[i] = static_cast<unsigned char>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    }
    return record;
}

/// cudaStreamQuery against the deadline: a synchronising call would wait as long as the driver likes.
void finish(cudaStream_t stream, const Talk& talk, const char* what) {
    cudaError_t status = cudaErrorNotReady;
    if (!poll([&] { return (status = cudaStreamQuery(stream)) != cudaErrorNotReady; }, talk.deadline()))
        throw Error(fmt::format("{} did not end within {:g} s", what, talk.seconds()));
    cuda::check(status, what);
}

class CudaMemory final : public DeviceMemory {
 public:
    CudaMemory(const RankFacts& mine, int node_rank, int node_ranks)
        : mine_(mine), device_(mine.devices[mine.device]), node_rank_(node_rank), flags_(flag_bytes(node_ranks)) {
        JACOBI_CUDA(cudaSetDevice(device_.ordinal));
        arena_.emplace(arena_layout(node_ranks));
        source_ = cuda::DeviceBuffer<std::uint64_t>(data_words);
        result_ = cuda::DeviceBuffer<cuda::PingPongResult>(1);
        wrong_ = cuda::DeviceBuffer<unsigned long long>(1);
        stream_ = cuda::make_stream(0);
        watch_.emplace();
        JACOBI_CUDA(cudaMemset(arena_->own(), 0, flags_));  // before anybody can open it
        JACOBI_CUDA(cudaDeviceSynchronize());
    }

    const char* transport() const override { return "ipc"; }
    std::uint64_t words() const override { return data_words; }

    DeviceOffer offer() const override { return {to_hex(arena_->record()), "", device_.uuid, mine_.sharers > 1 && !device_.mps}; }
    void accept(std::vector<DeviceOffer> offers) override {
        offers_ = std::move(offers);
        peers_.resize(offers_.size());
    }

    void connect(int node_rank, const Talk& talk, PairResult& result) override {
        const DeviceOffer& theirs = offers_[node_rank];
        takes_turns_ = theirs.takes_turns && theirs.uuid == device_.uuid;
        ask_driver(theirs, result);
        if (theirs.record.empty()) throw Error(fmt::format("rank {} has no memory to offer: {}", talk.partner(), theirs.refusal));
        IpcHandles handles;
        std::memcpy(&handles, from_hex(theirs.record).handles.data(), sizeof handles);
        Peer& peer = peers_[node_rank];
        if (injected("no_ipc", talk.self())) throw Error("cudaIpcOpenMemHandle: refused (injected fault)");
        cuda::check(cudaIpcOpenMemHandle(&peer.arena, handles.memory, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
        result.event = open_event(peer, handles, talk.self());
        std::byte *data = static_cast<std::byte*>(peer.arena), *flags = data;
        if (injected("drop_writes", talk.self())) data = flags = nowhere();
        if (injected("drop_flags", talk.self())) flags = nowhere();
        data_there_ = reinterpret_cast<std::uint64_t*>(data + flags_);
        flag_there_ = flags + flag_line * node_rank_;
        flag_here_ = arena_->own() + flag_line * node_rank;
    }

    void clear(const Talk& talk) override {
        JACOBI_CUDA(cudaMemsetAsync(data_here(), 0xff, data_bytes, stream_.get()));
        finish(stream_.get(), talk, "clearing device memory");
    }

    double store(std::uint64_t pattern, const Talk& talk) override {
        return rate(talk, "a kernel that stores into the partner's memory",
                    [&] { cuda::store_words(data_there_, data_words, pattern, stream_.get()); });
    }

    double copy(std::uint64_t pattern, const Talk& talk) override {
        cuda::store_words(source_.get(), data_words, pattern, stream_.get());
        return rate(talk, "a copy into the partner's memory", [&] {
            JACOBI_CUDA(cudaMemcpyAsync(data_there_, source_.get(), data_bytes, cudaMemcpyDeviceToDevice, stream_.get()));
        });
    }

    std::uint64_t wrong_words(std::uint64_t pattern, const Talk& talk) override {
        JACOBI_CUDA(cudaMemsetAsync(wrong_.get(), 0, sizeof(unsigned long long), stream_.get()));
        cuda::count_wrong_words(data_here(), data_words, pattern, wrong_.get(), stream_.get());
        finish(stream_.get(), talk, "checking device memory");
        return fetch(wrong_.get());
    }

    FlagTimes exchange_flags(const Talk& talk) override {
        const double seconds = talk.seconds() / 4;
        cuda::PingPong game{};
        game.here = reinterpret_cast<std::int64_t*>(flag_here_);
        game.there = reinterpret_cast<std::int64_t*>(flag_there_);
        game.leads = talk.leads();
        game.most_trips = takes_turns_ ? 10 : 2000;  // a flag takes a time slice or two there, about 2 ms
        game.enough_ns = 100'000'000;
        game.limit_ns = static_cast<std::uint64_t>(seconds * 1e9);
        game.last = last_flag;
        game.abandoned = abandoned_flag;
        cuda::ping_pong(game, result_.get(), stream_.get());
        finish(stream_.get(), talk, "the kernel that awaits the partner's flags");
        const cuda::PingPongResult result = fetch(result_.get());
        if (result.partner_gave_up != 0) throw Error(fmt::format("rank {} gave up waiting for a flag", talk.partner()));
        if (result.missing != 0) {
            throw Error(fmt::format("flag {} of rank {} has not arrived at rank {} within {:g} s", result.missing, talk.partner(),
                                    talk.self(), seconds));
        }
        if (result.round_trips == 0) return {};
        return {result.round_trips, static_cast<double>(result.nanoseconds) * 1e-3 / result.round_trips / 2};
    }

    void close() override {
        for (Peer& peer : peers_) {
            peer.event.reset();
            if (peer.arena != nullptr) JACOBI_CUDA(cudaIpcCloseMemHandle(std::exchange(peer.arena, nullptr)));
        }
    }
    void free() override { arena_->free(); }

 private:
    struct Peer {
        void* arena = nullptr;
        cuda::Event event;
    };

    std::uint64_t* data_here() const { return reinterpret_cast<std::uint64_t*>(arena_->own() + flags_); }

    /// Where dropped writes go.
    std::byte* nowhere() {
        if (nowhere_.get() == nullptr) nowhere_ = cuda::DeviceBuffer<std::byte>(flags_ + data_bytes);
        return nowhere_.get();
    }

    template <class T>
    T fetch(const T* from) {
        T value;
        JACOBI_CUDA(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

    /// GB/s of work that moves the data once, enqueued several times after a first one that counts for nothing.
    template <class Work>
    double rate(const Talk& talk, const char* what, Work&& work) {
        work();
        watch_->start(stream_.get());
        for (int i = 0; i < repetitions; ++i) work();
        watch_->stop(stream_.get());
        finish(stream_.get(), talk, what);
        return static_cast<double>(data_bytes) * repetitions / watch_->seconds() * 1e-9;
    }

    /// What the driver answers, which may be wrong in both directions: the checks decide.
    void ask_driver(const DeviceOffer& theirs, PairResult& result) const {
        if (theirs.uuid == device_.uuid) {
            result.access = result.native_atomics = "same device";
            return;
        }
        result.access = result.native_atomics = "not visible";
        for (const DeviceFacts& d : mine_.devices) {
            if (d.uuid != theirs.uuid) continue;
            int access = 0, atomics = 0;
            JACOBI_CUDA(cudaDeviceCanAccessPeer(&access, device_.ordinal, d.ordinal));
            JACOBI_CUDA(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, device_.ordinal, d.ordinal));
            result.access = access != 0 ? "yes" : "no";
            result.native_atomics = atomics != 0 ? "yes" : "no";
        }
    }

    Outcome open_event(Peer& peer, const IpcHandles& handles, int self) const {
        if (!handles.has_events || !arena_->has_events())
            return {"failed", "a device cannot share events (cudaDevAttrIpcEventSupport)"};
        if (injected("no_event", self)) return {"failed", "cudaIpcOpenEventHandle: refused (injected fault)"};
        try {
            cudaEvent_t event = nullptr;
            JACOBI_CUDA(cudaIpcOpenEventHandle(&event, handles.events[0]));
            peer.event = cuda::Event(event);
        } catch (const Error& error) {
            return {"failed", error.what()};
        }
        return {"ok", ""};
    }

    RankFacts mine_;
    DeviceFacts device_;
    int node_rank_;
    std::size_t flags_;
    std::vector<DeviceOffer> offers_;
    std::vector<Peer> peers_;
    std::optional<IpcMemory> arena_;
    cuda::DeviceBuffer<std::uint64_t> source_;
    cuda::DeviceBuffer<std::byte> nowhere_;
    cuda::DeviceBuffer<cuda::PingPongResult> result_;
    cuda::DeviceBuffer<unsigned long long> wrong_;
    cuda::Stream stream_;
    std::optional<cuda::Stopwatch> watch_;
    std::uint64_t* data_there_ = nullptr;
    std::byte* flag_there_ = nullptr;
    std::byte* flag_here_ = nullptr;
    bool takes_turns_ = false;  ///< with the current partner
};

}  // namespace

std::unique_ptr<DeviceMemory> make_cuda_memory(const RankFacts& mine, int node_rank, int node_ranks) {
    return std::make_unique<CudaMemory>(mine, node_rank, node_ranks);
}

}  // namespace jacobi::doctor
