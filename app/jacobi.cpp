// The mini-app: mpirun -np 8 ./jacobi inputs/cube.yaml
#include <mpi.h>

#include "run.hpp"
#include "watchdog.hpp"

int main(int argc, char** argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int rank = 0, length = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    MPI_Get_processor_name(host, &length);
    int status = 0;
    try {
        status = jacobi::run(argc, argv, provided);
    } catch (const jacobi::Error& error) {
        status = jacobi::fail(error, rank, host);
    } catch (const std::exception& error) {
        status = jacobi::fail(jacobi::Error(error.what()), rank, host);
    }
    MPI_Finalize();
    return status;
}
