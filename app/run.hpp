// One run of jacobi from the command line to the exit status.
#pragma once

#include <mpi.h>

namespace jacobi {

/// Collective over MPI_COMM_WORLD, after MPI_Init_thread, which granted `thread_level`. Returns the exit status (README.md lists
/// them); throws Error.
int run(int argc, const char* const* argv, int thread_level);

}  // namespace jacobi
