// Names of files that a program reads.
#pragma once

#include <string>

namespace jacobi {

/// Says before it is opened that a file cannot be read: it is not there, or it is a folder, a pipe, a socket or a device, of
/// which to open or to read one may never end. Returns an empty string, or what is wrong and what to do.
std::string check_input_path(const std::string& path);

}  // namespace jacobi
