// From the command line to a checked configuration, before any GPU or file is touched.
#pragma once

#include <optional>

#include "config.hpp"
#include "options.hpp"

namespace jacobi {

/// Collective over MPI_COMM_WORLD. The deck with its overrides, or none when it has errors, which rank 0 has printed then. Throws
/// Error (usage, collective) for what is wrong beside the deck.
std::optional<Config> configure(const Options& options);

/// Collective. Throws Error (usage, collective) when a rank cannot do as JACOBI_ISA says: ranks may have other environments and
/// other processors, and the first of them speaks for all.
void require_isa();

/// Collective. Throws Error (usage, collective) when an output file cannot be written or would overwrite what it must not. A dry
/// run needs no room for them: returns, on rank 0, the message that a run would end with.
std::string require_outputs(const Config& config, const Options& options);

}  // namespace jacobi
