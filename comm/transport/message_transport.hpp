// Edges whose halos travel as messages, since this rank cannot address the neighbour's memory: one file a transport, this
// interface for all. comm/README.md has the argument why messages need no announcements of their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "edges.hpp"
#include "sync/notice_board.hpp"

namespace jacobi {

/// What a transport works with; outlives it.
struct MessageContext {
    const Topology& topology;
    const std::vector<Edge>& edges;  ///< of this rank; those over messages are the transport's
    Backend& backend;
    NoticeBoard& board;
    FieldLayout layout;
    int device_sharers;  ///< most ranks on one device anywhere
    double timeout_s;
};

class MessageTransport {
 public:
    virtual ~MessageTransport() = default;

    /// How the messages travel, for the reason of their edges: "staged through pinned memory".
    virtual std::string how() const = 0;

    /// Where the boundary kernels store the layers towards the neighbour of a message edge.
    virtual HaloTarget target(const Edge& edge) const = 0;

    /// Once, after the back end has its block and before the barrier in front of the first pass.
    virtual void start() = 0;

    /// Makes the halos of generation g that come as messages readable: on the host, or for what is enqueued on the device
    /// afterwards. Also makes the targets of generation g + 1 free for the boundary kernels of pass g. May be called again for
    /// the same g: residual checks do. Throws Error after the time limit, naming rank, direction and generations.
    virtual void complete(Generation g) = 0;

    /// Sends the layers of generation g, which the boundary kernels of pass g - 1 store; these have been issued. Waits for them
    /// where it must, with the time limit.
    virtual void post(Generation g) = 0;
    /// The same if it need not wait; else does nothing and returns false.
    virtual bool try_post(Generation g) = 0;

    /// Throws Error if messages cannot arrive any more. Called while the device is awaited.
    virtual void check() {}

    /// Collective, on the success path only, when generation g is the last one and the device is done.
    virtual void close(Generation g) = 0;
};

/// A row of the table of message transports.
struct TransportKind {
    const char* name;     ///< comm.transport
    bool automatic;       ///< `auto` may take it
    const char* backend;  ///< that it needs; "": any
    const char* summary;
    /// Empty when it can be used here, else the reason. Local.
    std::string (*refusal)(const MessageContext&);
    /// Collective. Null where this build lacks it.
    std::unique_ptr<MessageTransport> (*make)(const MessageContext&);
};

/// Those of this build, in the order in which `auto` prefers them.
const std::vector<TransportKind>& message_transports();
/// Those that it lacks.
const std::vector<TransportKind>& lacking_transports();

/// The row with this name; null: no message transport of this build has it.
const TransportKind* message_transport(const std::string& name);

/// Collective. The transport of all message edges, which are of one kind in a run; null where no rank has any. Throws Error
/// (collective) when it is refused on any rank.
std::unique_ptr<MessageTransport> make_messages(const MessageContext& context);

}  // namespace jacobi
