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

/// "the file needs 282256 bytes, out has 147456 bytes free", of a file in this folder.
std::string room(const std::string& folder, std::uint64_t bytes) {
    struct statvfs space {};
    const std::uint64_t free =
        statvfs(folder.c_str(), &space) == 0 ? static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize : 0;
    return fmt::format("the file needs {} bytes, {} has {} bytes free", bytes, folder, free);
}

/// Reserves room behind the end of an empty file. Where the file system cannot, the room is only looked at.
void reserve(const Descriptor& file, const std::string& folder, std::uint64_t bytes) {
    int status = 0;
    do status = fallocate(file.id(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
    while (status != 0 && errno == EINTR);
    if (status == 0) return;
    int cause = errno;
    if (cause != ENOSPC && cause != EDQUOT) {
        struct statvfs space {};
        if (statvfs(folder.c_str(), &space) != 0 || bytes / space.f_frsize < space.f_bavail) return;
        cause = ENOSPC;
    }
    if (ftruncate(file.id(), 0) != 0) cause = errno;  // some keep the part that they have reserved
    throw std::runtime_error(fmt::format("{}: {}", std::strerror(cause), room(folder, bytes)));
}

/// Gives back what is reserved and not needed, and stores the file on the disk.
void sync(const std::string& name) {
    const Descriptor file(name, O_WRONLY);
    const off_t size = file.id() < 0 ? -1 : lseek(file.id(), 0, SEEK_END);
    if (size < 0 || ftruncate(file.id(), size) != 0 || fsync(file.id()) != 0) fail("cannot sync " + name);
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
    : group_(group), path_(path), name_(name_of(path)), bytes_(bytes) {
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
        group.root_step([&] { reserve(Descriptor(name_, O_WRONLY), folder_of(path), bytes); });
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
    remove_for_all(path_);
    const int cause = file.id() < 0 ? 0 : errno_of_writing(file.id());
    if (cause == 0) throw Error(what);
    // Cut to nothing, the file gives back what has been written, so that the room is what there was for it.
    const bool cut = ftruncate(file.id(), 0) == 0;
    throw Error(fmt::format("{} ({}{})", what, std::strerror(cause), cut ? ": " + room(folder_of(path_), bytes_) : ""));
}

void PartFile::remove_for_all(const std::string& path) {
    if (unlink(name_of(path).c_str()) != 0) std::this_thread::sleep_for(std::chrono::seconds(10));
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
