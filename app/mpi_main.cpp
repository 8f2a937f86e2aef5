#include "mpi_main.hpp"

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace jacobi {

int mpi_main(const char* program, int argc, char** argv, int (*run)(int argc, const char* const* argv, int thread_level),
             const MeetingLimits& limits) {
    set_program_name(program);
    int provided = MPI_THREAD_SINGLE;
    {
        const Watchdog watch("MPI_Init, in which all ranks meet,", limits.init_s, "process " + std::to_string(getpid()));
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    }
    int rank = 0, length = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    MPI_Get_processor_name(host, &length);
    int status = 0;
    try {
        status = run(argc, argv, provided);
    } catch (const Error& error) {
        status = fail(error, rank, host);
    } catch (const std::exception& error) {
        status = fail(Error(error.what()), rank, host);
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        std::fprintf(stderr, "%s: rank %d on %s: standard output cannot be written (a full disk?): some of it is lost\n", program,
                     rank, host);
        if (status == 0) status = static_cast<int>(Exit::failure);
    }
    const Watchdog watch("MPI_Finalize, in which all ranks meet,", limits.finalize_s,
                         "rank " + std::to_string(rank) + " on " + host);
    MPI_Finalize();
    return status;
}

}  // namespace jacobi
