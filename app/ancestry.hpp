// The processes that this one descends from.
#pragma once

#include <sys/types.h>

#include <initializer_list>

namespace jacobi {

/// The nearest ancestor whose command name starts with one of `starts`; 0 when there is none that this process can see: what
/// started it from outside its PID namespace is out of sight.
pid_t find_ancestor(std::initializer_list<const char*> starts);

}  // namespace jacobi
