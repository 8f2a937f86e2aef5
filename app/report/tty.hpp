// Writing to people, and whether one watches.
#pragma once

#include <cstdio>
#include <string>

namespace jacobi {

/// Does what this process writes to `fd` (1 or 2) end up on a terminal? Open MPI gives its ranks a pseudo terminal as standard
/// output and a pipe as standard error, wherever its own go: under mpirun, mpirun's are the ones to ask.
bool reaches_terminal(int fd);

/// Colours on standard output: a terminal that knows them, neither --no-color nor NO_COLOR (no-color.org).
bool wants_color(bool no_color);

/// Writes all of it at once.
void print(std::FILE* to, const std::string& text);

}  // namespace jacobi
