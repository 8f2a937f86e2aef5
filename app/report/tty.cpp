#include "tty.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "ancestry.hpp"

namespace jacobi {

void print(std::FILE* to, const std::string& text) {
    std::fputs(text.c_str(), to);
    std::fflush(to);
}

bool reaches_terminal(int fd) {
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return isatty(fd) != 0;
    const pid_t mpirun = find_ancestor({"mpirun", "mpiexec", "orterun", "prterun"});
    if (mpirun == 0) return false;
    char target[256];
    const std::string link = "/proc/" + std::to_string(mpirun) + "/fd/" + std::to_string(fd);
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
