#include "part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <vector>

namespace jacobi {
namespace {

/// A file descriptor of this scope.
class Descriptor {
 public:
    Descriptor(const std::string& name, int flags) : id_(::open(name.c_str(), flags | O_CLOEXEC, 0666)) {}
    ~Descriptor() {
        if (id_ >= 0) ::close(id_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int id() const { return id_; }

 private:
    int id_;
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

std::string folder_of(const std::string& path) {
    const auto parent = std::filesystem::path(path).parent_path();
    return parent.empty() ? "." : parent.string();
}

void sync(const std::string& name) {
    const Descriptor file(name, O_WRONLY);
    if (file.id() < 0 || fsync(file.id()) != 0) fail("cannot sync " + name);
}

/// errno of one more write at the end of a file, 0 if it succeeds. A short write precedes the error where a little room is left.
int errno_of_writing(int file) {
    const std::vector<char> block(std::size_t{1} << 20);
    lseek(file, 0, SEEK_END);
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (write(file, block.data(), block.size()) < 0) return errno;
    }
    return 0;
}

}  // namespace

PartFile::PartFile(const FileGroup& group, const std::string& path, std::uint64_t bytes)
    : group_(group), path_(path), name_(path + ".part"), bytes_(bytes) {
    group.root_step([&] {
        if (Descriptor(name_, O_WRONLY | O_CREAT | O_TRUNC).id() < 0) fail(name_);
    });
    try {
        group.step([&] {
            if (Descriptor(name_, O_WRONLY).id() < 0)
                fail("no access to " + name_ + " on this node (is the folder shared by all nodes?)");
            struct rlimit limit {};
            if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes) {
                throw std::runtime_error(fmt::format("{}: the file needs {} bytes, but files are limited to {} bytes (ulimit -f)",
                                                     std::strerror(EFBIG), bytes, limit.rlim_cur));
            }
        });
    } catch (const Error&) {
        if (group.root()) unlink(name_.c_str());
        throw;
    }
}

PartFile::~PartFile() {
    if (!committed_ && group_.root()) unlink(name_.c_str());
}

void PartFile::abandon(const std::string& what) {
    const Descriptor file(name_, O_WRONLY);
    // A file can be removed once: who does it speaks for all. The others have ten seconds to be ended, and then speak up too.
    if (unlink(name_.c_str()) != 0 && group_.size() > 1) std::this_thread::sleep_for(std::chrono::seconds(10));

    const int cause = file.id() < 0 ? 0 : errno_of_writing(file.id());
    std::string reason;
    struct statvfs space {};
    // Cut to nothing, the file gives back what others have written, so that the room is what there was for it.
    if (cause != 0 && ftruncate(file.id(), 0) == 0 && statvfs(folder_of(path_).c_str(), &space) == 0) {
        reason = fmt::format(" ({}: the file needs {} bytes, {} has {} bytes free)", std::strerror(cause), bytes_,
                             folder_of(path_), static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize);
    } else if (cause != 0) {
        reason = fmt::format(" ({})", std::strerror(cause));
    }
    throw Error(what + reason);
}

void PartFile::commit() {
    group_.root_step([&] {
        sync(name_);
        if (std::rename(name_.c_str(), path_.c_str()) != 0) fail("cannot rename " + name_);
        const Descriptor folder(folder_of(path_), O_RDONLY | O_DIRECTORY);
        fsync(folder.id());  // makes the new name survive a power cut where the file system can; some refuse, which harms nothing
    });
    committed_ = true;
}

}  // namespace jacobi
