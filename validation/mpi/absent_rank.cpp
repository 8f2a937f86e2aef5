// A program of which rank 1 never comes to a meeting of all ranks: absent_rank init|finalize. The others must not wait for ever.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "mpi_main.hpp"

namespace {

bool absent() {
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");  // as Open MPI's mpirun says before MPI_Init
    return rank != nullptr && std::string(rank) == "1";
}

[[noreturn]] void stay_away() {
    for (;;) pause();
}

int run(int argc, const char* const* argv, int) {
    if (argc == 2 && std::string(argv[1]) == "finalize" && absent()) stay_away();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string meeting = argc == 2 ? argv[1] : "";
    if (meeting == "init" && absent()) stay_away();
    jacobi::MeetingLimits limits;
    (meeting == "init" ? limits.init_s : limits.finalize_s) = 1;
    return jacobi::mpi_main("jacobi", argc, argv, run, limits);
}
