#include "reduction.hpp"

#include <fmt/format.h>

namespace jacobi {

void Reduction::reduce(std::span<std::uint64_t> values, MPI_Op op, Generation g, const char* what) {
    notices_.publish(g);
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, op, topology_.world.get(),
                   &request);
    wait_request(request, timeout_s_, topology_.poll, [&] {
        return fmt::format("rank {} ({}) waited {} s for all ranks at generation {} ({}): {} (comm.timeout_s sets the limit)",
                           topology_.rank(), topology_.host, timeout_s_, g, what, late(g));
    });
}

std::string Reduction::late(Generation g) const {
    constexpr int shown = 4;
    std::string text;
    int count = 0;
    for (int r = 0; r < topology_.size(); ++r) {
        if (!notices_.covers(r) || notices_.seen(r) >= g || ++count > shown) continue;
        text += fmt::format("{}rank {} ({}) is at {}", text.empty() ? "" : ", ", r, topology_.host_of[r], notices_.seen(r));
    }
    if (count > shown) text += fmt::format(" and {} more are late", count - shown);
    if (count > 0) return text + fmt::format("; is {} stopped or dead?", count == 1 ? "it" : "one of them");
    return topology_.node_count == 1 ? "all have come to it, so one of them has stopped or died since"
                                     : "all ranks of this node have come to it, so one of them, or one of another node, is "
                                       "stopped or dead";
}

}  // namespace jacobi
