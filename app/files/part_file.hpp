// The temporary file that becomes an output file when it is complete and checked.
#pragma once

#include <cstdint>
#include <string>

#include "file_group.hpp"

namespace jacobi {

/// PATH.part, shared by a group. All functions are collective where nothing else is said, and not the destructor: an object that
/// dies before `commit` takes the file with it, and PATH stays what it was.
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

    /// After `what` broke HDF5 on this rank: remove_for_all, then throws Error (one rank's, so it ends the job) with the reason
    /// from the file system, since HDF5 does not pass it on.
    [[noreturn]] void abandon(const std::string& what);

    /// For a rank that is about to end the job and may be in step with no other: removes PATH.part. The first rank to come here
    /// does, and goes on to speak for all; any other is held up for ten seconds, in which the job is over. Not collective.
    static void remove_for_all(const std::string& path);

    /// Syncs the file to the disk and renames it to PATH.
    void commit();

 private:
    const FileGroup& group_;
    std::string path_, name_;
    std::uint64_t bytes_;
    bool committed_ = false;
};

}  // namespace jacobi
