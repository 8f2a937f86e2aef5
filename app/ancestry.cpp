#include "ancestry.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace jacobi {
namespace {

/// Parent and command name of a process; parent 0 when it cannot be told.
pid_t parent_of(pid_t pid, std::string& command) {
    std::string line;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line);  // pid (command) state parent ...
    const auto open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos || line.size() < close + 4) return 0;
    command = line.substr(open + 1, close - open - 1);
    return static_cast<pid_t>(std::atoi(line.c_str() + close + 4));
}

}  // namespace

pid_t find_ancestor(std::initializer_list<const char*> starts) {
    std::string command;
    for (pid_t pid = getppid(); pid > 1;) {
        const pid_t parent = parent_of(pid, command);
        for (const char* start : starts) {
            if (command.starts_with(start)) return pid;
        }
        pid = parent;
    }
    return 0;
}

}  // namespace jacobi
