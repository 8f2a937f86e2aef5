#define JACOBI_ISA avx512
#define JACOBI_ISA_NAME "AVX-512"
#include "sweep_isa.inl"
