// What main does in every program whose ranks work together: MPI up, errors to exit statuses, MPI down.
#pragma once

namespace jacobi {

/// `run` gets the command line and the thread level that MPI granted, and returns the exit status or throws Error.
int mpi_main(int argc, char** argv, int (*run)(int argc, const char* const* argv, int thread_level));

}  // namespace jacobi
