#include "input_path.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace jacobi {

std::string check_input_path(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return std::strerror(errno);
    if (S_ISREG(status.st_mode)) return {};
    if (S_ISDIR(status.st_mode)) return "it is a directory; name a file in it";
    const char* const kind = S_ISFIFO(status.st_mode) ? "a pipe" : S_ISSOCK(status.st_mode) ? "a socket" : "a device";
    return std::string("it is ") + kind + ", and only regular files are read; copy its text into one";
}

}  // namespace jacobi
