// What a rank can say about itself without anybody else.
#pragma once

#include "examination.hpp"

namespace jacobi::doctor {

/// System, namespaces, shared memory, and the devices that CUDA shows to this process. Never fails; may take as long as CUDA
/// takes to start.
RankFacts gather_facts(int rank);

/// `thread_level`: what MPI_Init_thread granted.
MpiFacts mpi_facts(int thread_level);

}  // namespace jacobi::doctor
