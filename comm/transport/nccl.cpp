// Transport `nccl`: sends and receives of NCCL on packed device buffers, enqueued on the boundary stream.
#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cuda_backend.hpp"
#include "packed_edges.hpp"
#include "transports.hpp"

namespace jacobi {

namespace {

void check_nccl(ncclResult_t status, const char* call) {
    if (status == ncclSuccess) return;
    throw Error(fmt::format("{}: {} ({})", call, ncclGetErrorString(status), ncclGetLastError(nullptr)));
}
#define JACOBI_NCCL(call) check_nccl((call), #call)

class NcclMessages final : public MessageTransport {
 public:
    explicit NcclMessages(const MessageContext& context)
        : c_(context),
          stream_(dynamic_cast<cuda::CudaBackendBase&>(context.backend).boundary_stream()),
          packed_(context.edges, context.layout, context.backend, true) {
        // Multicast over NVLink stays off unless the user says otherwise: nothing here gains by it, and it claims memory.
        setenv("NCCL_NVLS_ENABLE", "0", 0);
        ncclUniqueId id{};
        if (c_.topology.rank() == 0) JACOBI_NCCL(ncclGetUniqueId(&id));
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, c_.topology.world.get());
        JACOBI_NCCL(ncclCommInitRank(&comm_, c_.topology.size(), id, c_.topology.rank()));
        // NCCL matches the sends and receives of a pair of ranks by their order. Sends go out by their direction. What a
        // neighbour sends in direction d arrives from this rank's direction opposite(d): receives are posted by the sender's
        // direction, so that two ranks that meet on both sides of a periodic axis keep their faces apart.
        auto& channels = packed_.channels();
        for (const Channel& channel : channels) sends_.push_back(&channel), receives_.push_back(&channel);
        const auto by = [](auto&& key) { return [key](const Channel* a, const Channel* b) { return key(*a) < key(*b); }; };
        std::sort(sends_.begin(), sends_.end(), by([](const Channel& x) { return x.edge.direction.code; }));
        std::sort(receives_.begin(), receives_.end(), by([](const Channel& x) { return x.edge.direction.opposite().code; }));
    }

    std::string how() const override {
        int v = 0;
        (void)ncclGetVersion(&v);
        return fmt::format("NCCL {}.{}.{}", v / 10000, v / 100 % 100, v % 100);
    }
    HaloTarget target(const Edge& edge) const override { return packed_.target(edge); }
    void start() override {}

    void complete(Generation g) override {
        // Read-after-write: the stream that receives generation g, unpacks it and then runs the boundary kernels of pass g is
        // one. It also keeps the reuse of the buffers in order: pass g stores generation g + 1 where generation g - 1 lay, whose
        // send is behind in the stream, and generation g + 1 is received where g - 1 lay, whose unpacking is.
        if (g == completed_) return;
        packed_.unpack(g);
        completed_ = g;
    }

    void post(Generation g) override { (void)try_post(g); }
    bool try_post(Generation g) override {
        if (sends_.empty()) return true;
        check();
        JACOBI_NCCL(ncclGroupStart());
        for (const Channel* channel : sends_) {
            JACOBI_NCCL(
                ncclSend(channel->send[g & 1].get(), channel->out.bytes(), ncclInt8, channel->edge.neighbour, comm_, stream_));
        }
        for (const Channel* channel : receives_) {
            JACOBI_NCCL(
                ncclRecv(channel->receive[g & 1].get(), channel->in.bytes(), ncclInt8, channel->edge.neighbour, comm_, stream_));
        }
        JACOBI_NCCL(ncclGroupEnd());
        return true;
    }

    void check() override {
        ncclResult_t status = ncclSuccess;
        JACOBI_NCCL(ncclCommGetAsyncError(comm_, &status));
        if (status != ncclSuccess && status != ncclInProgress) {
            throw Error(fmt::format("rank {} ({}): NCCL reports that its messages cannot go on: {} ({}); has a rank died?",
                                    c_.topology.rank(), c_.topology.host, ncclGetErrorString(status), ncclGetLastError(comm_)));
        }
    }

    void close(Generation) override { JACOBI_NCCL(ncclCommDestroy(std::exchange(comm_, nullptr))); }
    ~NcclMessages() override {
        // After an error: kernels of NCCL that wait for a dead rank would keep everything that is freed next waiting too.
        if (comm_ != nullptr) (void)ncclCommAbort(comm_);
    }

 private:
    MessageContext c_;
    cudaStream_t stream_;
    PackedEdges packed_;
    ncclComm_t comm_ = nullptr;
    std::vector<const Channel*> sends_, receives_;  ///< in the order of the calls
    Generation completed_ = 0;                      ///< generation 0 is everywhere from the start
};

}  // namespace

std::string refuse_nccl(const MessageContext& c) {
    if (c.backend.name() != "cuda")
        return "it moves device memory, and this is the host back end (use comm.transport: mpi or shm)";
    if (c.device_sharers > 1) return "ranks share a GPU, and NCCL needs one for each (use comm.transport: auto)";
    return {};
}
std::unique_ptr<MessageTransport> make_nccl(const MessageContext& context) { return std::make_unique<NcclMessages>(context); }

}  // namespace jacobi
