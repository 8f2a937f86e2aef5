// How fast every way of running is on this machine: mpirun -np 2 ./bench
#include "bench_run.hpp"
#include "mpi_main.hpp"

int main(int argc, char** argv) { return jacobi::mpi_main("bench", argc, argv, jacobi::bench::run); }
