// The one exception type: a message for the user, and the exit status it leads to.
#pragma once

#include <stdexcept>
#include <string>

namespace jacobi {

/// Exit statuses (README.md lists them): what went wrong, in the order in which a caller reacts to it.
enum class Exit { success = 0, failure = 1, usage = 2, verification = 3, tolerance = 4 };

/// `collective` is set when every rank throws the same error at the same place (a bad deck, say): rank 0 alone prints it and
/// all end normally. Any other error is one rank's: it prints rank and host, and aborts the job.
class Error : public std::runtime_error {
 public:
    explicit Error(const std::string& message, Exit exit = Exit::failure, bool collective = false)
        : std::runtime_error(message), exit_(exit), collective_(collective) {}
    Exit exit() const { return exit_; }
    bool collective() const { return collective_; }

 private:
    Exit exit_;
    bool collective_;
};

}  // namespace jacobi
