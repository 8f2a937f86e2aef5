#include "reduction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "processes.hpp"

namespace jacobi {

void Reduction::reduce(std::span<std::uint64_t> values, MPI_Op op, Generation g, const char* what) {
    notices_.beat();
    notices_.publish_reduction(++count_);
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, op, topology_.world.get(),
                   &request);
    const auto done = [&] {
        int flag = 0;
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        notices_.beat();
        return flag != 0;
    };
    wait_until(done, timeout_s_, topology_.poll, [&] {
        return fmt::format("waited {} s for all ranks at generation {} ({}): {} (comm.timeout_s sets the limit){}", timeout_s_, g,
                           what, late(), silent_ranks(topology_));
    });
    notices_.end_beating();
}

std::string Reduction::named(const std::vector<int>& ranks) const {
    constexpr std::size_t shown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, ranks.size()); ++i) {
        const int r = ranks[i];
        text += fmt::format("{}rank {} ({}, seen at {})", i > 0 ? ", " : "", r, topology_.host_of[r], notices_.seen(r));
    }
    if (ranks.size() > shown) text += fmt::format(" and {} more", ranks.size() - shown);
    return text + (ranks.size() == 1 ? " has" : " have");
}

std::string Reduction::late() const {
    std::vector<int> missing;
    for (int r = 0; r < topology_.size(); ++r) {
        if (notices_.covers(r) && notices_.seen_reduction(r) < count_) missing.push_back(r);
    }
    if (!missing.empty()) return named(missing) + " not come; stopped or dead?";
    const std::vector<int> unmoved = notices_.unmoved();
    if (topology_.node_count == 1) {
        return "all have come, so one of them has stopped or died since" +
               (unmoved.empty() ? ", or their messages do not arrive: every rank waits for the others and moves"
                                : ": " + named(unmoved) + " not moved any more");
    }
    return "all ranks of this node have come; " + (unmoved.empty() ? "is one of another node stopped or dead?"
                                                                   : named(unmoved) + " not moved any more; stopped or dead?");
}

}  // namespace jacobi
