// The temporary file that becomes an output file when it is complete and checked.
#pragma once

#include <cstdint>
#include <string>

#include "file_group.hpp"

namespace jacobi {

/// PATH.part, shared by a group. All functions are collective but for `abandon` and the destructor; an object that dies before
/// `commit` takes the file with it, and PATH stays what it was.
class PartFile {
 public:
    /// Creates it empty, makes sure that every rank can write it, and reserves `bytes`, the most that it may need, where the file
    /// system can: a full disk is found here, since HDF5 does not bear it. A write of its own that fails may leave its ranks in
    /// different collective calls for ever.
    PartFile(const FileGroup& group, const std::string& path, std::uint64_t bytes);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    /// PATH.part.
    static std::string name_of(const std::string& path) { return path + ".part"; }
    const std::string& name() const { return name_; }

    /// After `what` broke HDF5 on this rank, which may be in step with no other: removes the file and throws Error (one rank's,
    /// so it ends the job) with the reason from the file system, since HDF5 does not pass it on. Of several ranks that come here
    /// one does that; the others wait to be ended with the job.
    [[noreturn]] void abandon(const std::string& what);

    /// Syncs the file to the disk and renames it to PATH.
    void commit();

 private:
    const FileGroup& group_;
    std::string path_, name_;
    std::uint64_t bytes_;
    bool committed_ = false;
};

}  // namespace jacobi
