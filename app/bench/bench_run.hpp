// One run of bench from the command line to the exit status.
#pragma once

namespace jacobi::bench {

/// Collective over MPI_COMM_WORLD. As jacobi::run.
int run(int argc, const char* const* argv, int thread_level);

}  // namespace jacobi::bench
