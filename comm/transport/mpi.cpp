// Transport `mpi`: a persistent send and a persistent receive an edge and parity, on packed buffers. Staged through (pinned) host
// memory, or on private device memory where MPI is proved to read and write that.
#include <fmt/format.h>
#include <mpi.h>

#include "gpu_aware.hpp"
#include "packed_edges.hpp"
#include "transports.hpp"

namespace jacobi {

namespace {

/// The sender's direction tells apart what two ranks exchange who meet on both sides of a periodic axis, the parity what a rank
/// has sent ahead.
int tag(Direction senders, int parity) { return senders.code + parity * Direction::count; }

class MpiMessages final : public MessageTransport {
 public:
    MpiMessages(const MessageContext& context, const GpuAware& gpu)
        : c_(context), how_(gpu.how), packed_(context.edges, context.layout, context.backend, gpu.proved) {
        // A communicator of its own: no other message of the program can meet these. (Duplicating keeps no Cartesian topology,
        // since the original has none.)
        MPI_Comm_dup(context.topology.world.get(), &comm_);
        for (const Channel& channel : packed_.channels()) {
            Requests r;
            // Whole rows as the unit: a face may have more than 2^31 bytes.
            MPI_Type_contiguous(static_cast<int>(channel.out.row_bytes()), MPI_BYTE, &r.row);
            MPI_Type_commit(&r.row);
            const int rows = static_cast<int>(channel.out.rows()), neighbour = channel.edge.neighbour;
            for (int p = 0; p < 2; ++p) {
                MPI_Send_init(channel.send[p].get(), rows, r.row, neighbour, tag(channel.edge.direction, p), comm_, &r.send[p]);
                MPI_Recv_init(channel.receive[p].get(), rows, r.row, neighbour, tag(channel.edge.direction.opposite(), p), comm_,
                              &r.receive[p]);
            }
            requests_.push_back(r);
        }
    }

    std::string how() const override { return how_; }
    HaloTarget target(const Edge& edge) const override { return packed_.target(edge); }

    void start() override {
        // Both buffers are free: a neighbour's messages 1 and 2 (it may be one generation ahead) find their receives posted.
        for (Requests& r : requests_) {
            for (MPI_Request& request : r.receive) MPI_Start(&request);
        }
        receiving_ = true;
    }

    void complete(Generation g) override {
        if (g == completed_) return;
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            // Read-after-write: the neighbour sends generation g after its boundary kernels of pass g - 1 have stored it.
            const Edge& e = packed_.channels()[i].edge;
            wait_request(requests_[i].receive[g & 1], c_.timeout_s, c_.topology.poll,
                         [&] { return c_.board.describe_wait(e.neighbour, name(e.direction), g, c_.timeout_s, g - 1); });
        }
        // Write-after-read of the halos: this rank's own work, ordered by the back end behind the readers of generation g - 2.
        // The neighbour cannot overrun anybody here, since it stores into no memory of this rank.
        packed_.unpack(g);
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            // Reuse of the send buffer: pass g stores generation g + 1 where generation g - 1 lies. (A request that was never
            // started counts as done.)
            const Edge& e = packed_.channels()[i].edge;
            wait_request(requests_[i].send[(g + 1) & 1], c_.timeout_s, c_.topology.poll, [&] {
                return fmt::format(
                    "rank {} ({}) waited {} s for rank {} ({}) in direction {} to take the message of generation {}: is that "
                    "rank "
                    "stopped or dead? (comm.timeout_s sets the limit)",
                    c_.topology.rank(), c_.topology.host, c_.timeout_s, e.neighbour, c_.topology.host_of[e.neighbour],
                    name(e.direction), g - 1);
            });
        }
        completed_ = g;
    }

    void post(Generation g) override {
        if (requests_.empty()) return;
        // MPI reads the send buffers by its own means, not in the order of a stream: the boundary kernels must have ended.
        // (A wait inside a kernel has the same limit and knows more: it gets a head start.)
        const double limit = c_.timeout_s + 2;
        wait_until([&] { return c_.backend.done(true); }, limit, c_.topology.poll,
                   [&] { return c_.board.describe_stall(c_.edges, g, limit); });
        send(g);
    }

    bool try_post(Generation g) override {
        if (!requests_.empty() && !c_.backend.done(true)) return false;
        send(g);
        return true;
    }

    void close(Generation g) override {
        complete(g);  // all ranks have sent generation g, and every send finds its receive
        for (Requests& r : requests_) {
            for (int p = 0; p < 2; ++p) {
                wait_request(r.send[p], c_.timeout_s, c_.topology.poll, [] { return "the last messages were not taken"; });
                // What waits for later generations waits in vain. (No request that is done can be cancelled, none that is not
                // started either.)
                if (started(g, p)) {
                    MPI_Cancel(&r.receive[p]);
                    MPI_Wait(&r.receive[p], MPI_STATUS_IGNORE);
                }
                MPI_Request_free(&r.send[p]);
                MPI_Request_free(&r.receive[p]);
            }
            MPI_Type_free(&r.row);
        }
        MPI_Comm_free(&comm_);
    }

 private:
    struct Requests {
        MPI_Datatype row = MPI_DATATYPE_NULL;
        std::array<MPI_Request, 2> send{MPI_REQUEST_NULL, MPI_REQUEST_NULL}, receive{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    };

    /// At the end, with generation g received: is a receive of this parity waiting? The one for g + 1 always is (start() or
    /// post(g)), that for g + 2 only if nothing was ever received. None is where no pass was ever prepared: dry runs, a refused
    /// rung.
    bool started(Generation g, int parity) const { return receiving_ && (parity == ((g + 1) & 1) || g == 0); }

    void send(Generation g) {
        for (Requests& r : requests_) {
            // Reuse of the receive buffer: generation g - 1 lay there. Its unpacking was issued before the boundary kernels of
            // pass g - 1, on the same stream, and those have ended. For g = 1 start() has done it.
            if (g > 1) MPI_Start(&r.receive[(g + 1) & 1]);
            MPI_Start(&r.send[g & 1]);
        }
    }

    MessageContext c_;
    std::string how_;
    PackedEdges packed_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<Requests> requests_;  ///< of the channels
    Generation completed_ = 0;        ///< generation 0 is everywhere from the start
    bool receiving_ = false;          ///< start() has been called
};

}  // namespace

std::unique_ptr<MessageTransport> make_mpi(const MessageContext& context) {
    return std::make_unique<MpiMessages>(context, prove_gpu_aware(context));
}

}  // namespace jacobi
