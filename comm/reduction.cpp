#include "reduction.hpp"

#include <fmt/format.h>

namespace jacobi {

void Reduction::reduce(std::span<std::uint64_t> values, MPI_Op op, const char* what) const {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, op, topology_.world.get(),
                   &request);
    wait_request(request, timeout_s_, topology_.poll, [&] {
        return fmt::format("rank {} ({}) waited {} s for the other ranks ({}): one of them is stopped, dead or far behind",
                           topology_.rank(), topology_.host, timeout_s_, what);
    });
}

}  // namespace jacobi
