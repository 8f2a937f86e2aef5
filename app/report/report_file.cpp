#include "report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "error.hpp"

namespace jacobi {
namespace {

/// A file descriptor of this scope. Its calls throw the system's reason as text.
class File {
 public:
    File(const std::string& path, int flags) : id_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
        if (id_ < 0) fail();
    }
    ~File() { ::close(id_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[noreturn]] static void fail() { throw std::runtime_error(std::strerror(errno)); }
    static void require(bool success) {
        if (!success) fail();
    }

    void write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(id_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            require(written >= 0);
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    /// Bytes from `offset` on, at most `count`.
    std::string read(off_t offset, std::size_t count) {
        std::string text(count, '\0');
        const ssize_t found = ::pread(id_, text.data(), count, offset);
        require(found >= 0);
        text.resize(static_cast<std::size_t>(found));
        return text;
    }
    off_t size() {
        struct stat status {};
        require(fstat(id_, &status) == 0);
        return status.st_size;
    }
    /// Tried only: it follows a failure, whose reason is the one to tell.
    void cut_back(off_t size) {
        if (ftruncate(id_, size) != 0) return;
    }
    void sync() { require(fsync(id_) == 0); }
    /// Until the file is closed. A file system without locks goes without: appends of one write each hardly ever mix there.
    void lock() { (void)flock(id_, LOCK_EX); }

 private:
    int id_;
};

}  // namespace

void replace_file(const std::string& path, const std::string& text) {
    const std::string part = path + ".part";
    try {
        {
            File file(part, O_WRONLY | O_CREAT | O_TRUNC);
            file.write(text);
            file.sync();
        }
        File::require(std::rename(part.c_str(), path.c_str()) == 0);
    } catch (const std::runtime_error& error) {
        unlink(part.c_str());
        throw Error(fmt::format("cannot write {}: {}", path, error.what()));
    }
}

void append_line(const std::string& path, const std::string& header, const std::string& line) {
    try {
        File file(path, O_RDWR | O_CREAT | O_APPEND);
        file.lock();
        const off_t size = file.size();
        std::string text = line + '\n';
        if (size == 0) {
            text = header + '\n' + text;
        } else {
            const std::string first = file.read(0, header.size() + 1);
            if (first != header + '\n' && first != header) {
                throw std::runtime_error("its first line is not the header that this version writes; choose another name");
            }
            // A last line without an end was cut off: it shall not run into this one.
            if (file.read(size - 1, 1) != "\n") text = '\n' + text;
        }
        try {
            file.write(text);
        } catch (const std::runtime_error&) {
            file.cut_back(size);  // no half a line
            throw;
        }
    } catch (const std::runtime_error& error) {
        throw Error(fmt::format("cannot append to {}: {}", path, error.what()));
    }
}

}  // namespace jacobi
