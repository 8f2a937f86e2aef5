#include "collectives.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "processes.hpp"

namespace jacobi {

std::string broadcast(std::string text) {
    unsigned long long length = text.size();
    MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    text.resize(length);
    MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
    return text;
}

double slowest(double seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

Guards::Guards(double timeout_s, const Topology& topology)
    : Guards(timeout_s, fmt::format("rank {} on {}", topology.rank(), topology.host)) {
    suspects_ = [&topology] { return silent_ranks(topology); };
}

}  // namespace jacobi
