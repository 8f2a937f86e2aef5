#include "tty.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace jacobi {
namespace {

std::string proc(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + '/' + file; }

/// Parent and command name of a process; parent 0 when it cannot be told.
pid_t parent_of(pid_t pid, std::string& command) {
    std::string line;
    std::getline(std::ifstream(proc(pid, "stat")), line);  // pid (command) state parent ...
    const auto open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos || line.size() < close + 4) return 0;
    command = line.substr(open + 1, close - open - 1);
    return static_cast<pid_t>(std::atoi(line.c_str() + close + 4));
}

/// The mpirun that started this process on this machine, 0 for none.
pid_t find_mpirun() {
    std::string command;
    for (pid_t pid = getppid(); pid > 1;) {
        const pid_t parent = parent_of(pid, command);
        for (const char* start : {"mpirun", "mpiexec", "orterun", "prterun"}) {
            if (command.starts_with(start)) return pid;
        }
        pid = parent;
    }
    return 0;
}

}  // namespace

bool reaches_terminal(int fd) {
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return isatty(fd) != 0;
    const pid_t mpirun = find_mpirun();
    if (mpirun == 0) return false;
    char target[256];
    const std::string link = proc(mpirun, "fd/") + std::to_string(fd);
    const ssize_t length = readlink(link.c_str(), target, sizeof target - 1);
    if (length < 0) return false;
    target[length] = '\0';
    // A terminal's name is enough: opening it could make it this process' controlling one.
    return std::strncmp(target, "/dev/pts/", 9) == 0 || std::strncmp(target, "/dev/tty", 8) == 0 ||
           std::strcmp(target, "/dev/console") == 0;
}

bool wants_color(bool no_color) {
    const char* forbidden = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return !no_color && (forbidden == nullptr || *forbidden == '\0') && terminal != nullptr &&
           std::strcmp(terminal, "dumb") != 0 && reaches_terminal(STDOUT_FILENO);
}

}  // namespace jacobi
