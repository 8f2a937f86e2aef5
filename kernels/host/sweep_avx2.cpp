#define JACOBI_ISA avx2
#define JACOBI_ISA_NAME "AVX2"
#include "sweep_isa.inl"
