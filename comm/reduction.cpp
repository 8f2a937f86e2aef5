#include "reduction.hpp"

#include <fmt/format.h>

#include "processes.hpp"

namespace jacobi {

void Reduction::reduce(std::span<std::uint64_t> values, MPI_Op op, Generation g, const char* what) {
    notices_.publish_reduction(++count_);
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, op, topology_.world.get(),
                   &request);
    wait_request(request, timeout_s_, topology_.poll, [&] {
        return fmt::format("waited {} s for all ranks at generation {} ({}): {} (comm.timeout_s sets the limit){}", timeout_s_, g,
                           what, late(), silent_ranks(topology_));
    });
}

std::string Reduction::late() const {
    constexpr int shown = 4;
    std::string text;
    int count = 0;
    for (int r = 0; r < topology_.size(); ++r) {
        if (!notices_.covers(r) || notices_.seen_reduction(r) >= count_ || ++count > shown) continue;
        text += fmt::format("{}rank {} ({}, seen at {})", count > 1 ? ", " : "", r, topology_.host_of[r], notices_.seen(r));
    }
    if (count > shown) text += fmt::format(" and {} more", count - shown);
    if (count > 0) return fmt::format("{} {} not come; stopped or dead?", text, count == 1 ? "has" : "have");
    return topology_.node_count == 1 ? "all have come, so one of them has stopped or died since"
                                     : "all ranks of this node have come; is one of another node stopped or dead?";
}

}  // namespace jacobi
