#include "transports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace jacobi {

namespace {
std::string never(const MessageContext&) { return {}; }

const TransportKind kinds[] = {
    {"mpi", true, "", "MPI messages, between nodes or where memory cannot be shared", never, make_mpi},
    {"nccl", false, "cuda", "NCCL send and receive between GPUs, on demand: a yardstick", refuse_nccl, make_nccl},
};

std::vector<TransportKind> with(bool built) {
    std::vector<TransportKind> rows;
    std::copy_if(std::begin(kinds), std::end(kinds), std::back_inserter(rows),
                 [built](const TransportKind& kind) { return (kind.make != nullptr) == built; });
    return rows;
}
}  // namespace

const std::vector<TransportKind>& message_transports() {
    static const std::vector<TransportKind> table = with(true);
    return table;
}

const std::vector<TransportKind>& lacking_transports() {
    static const std::vector<TransportKind> table = with(false);
    return table;
}

const TransportKind* message_transport(const std::string& name) {
    const auto& table = message_transports();
    const auto row = std::find_if(table.begin(), table.end(), [&](const TransportKind& kind) { return kind.name == name; });
    return row == table.end() ? nullptr : &*row;
}

std::unique_ptr<MessageTransport> make_messages(const MessageContext& context) {
    MPI_Comm world = context.topology.world.get();
    const auto& table = message_transports();
    // Row of this rank's message edges plus one; a rank without any takes part all the same: what follows is collective.
    int row = 0;
    for (const Edge& e : context.edges) {
        if (e.message()) row = static_cast<int>(message_transport(e.transport) - table.data()) + 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &row, 1, MPI_INT, MPI_MAX, world);
    if (row == 0) return nullptr;
    const TransportKind& kind = table[row - 1];
    for (const std::string& refusal : gather_texts(world, kind.refusal(context))) {
        if (refusal.empty()) continue;
        throw Error(fmt::format("comm.transport: {} cannot be had here: {}", kind.name, refusal), Exit::failure, true);
    }
    return kind.make(context);
}

}  // namespace jacobi
