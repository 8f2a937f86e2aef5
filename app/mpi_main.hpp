// What main does in every program whose ranks work together: MPI up, errors to exit statuses, MPI down.
#pragma once

#include "watchdog.hpp"

namespace jacobi {

/// Seconds for MPI's own meetings of all ranks, in which one that never comes would keep the others for ever.
struct MeetingLimits {
    double init_s = meeting_limit_s;
    double finalize_s = meeting_limit_s;
};

/// `run` gets the command line and the thread level that MPI granted, and returns the exit status or throws Error. `program`: its
/// name, for messages. Tests have other limits than programs.
int mpi_main(const char* program, int argc, char** argv, int (*run)(int argc, const char* const* argv, int thread_level),
             const MeetingLimits& limits = {});

}  // namespace jacobi
