#define JACOBI_ISA portable
#define JACOBI_ISA_NAME "portable"
#include "sweep_isa.inl"
