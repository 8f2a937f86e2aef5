// The mini-app: mpirun -np 8 ./jacobi inputs/cube.yaml
#include "mpi_main.hpp"
#include "run.hpp"

int main(int argc, char** argv) { return jacobi::mpi_main("jacobi", argc, argv, jacobi::run); }
