// The temporary file that becomes an output file when it is complete and checked.
#pragma once

#include <cstdint>
#include <string>

#include "file_group.hpp"

namespace jacobi {

/// PATH.part, shared by a group. All functions are collective but for the destructor; an object that dies before `commit` takes
/// the file with it, and PATH stays what it was.
class PartFile {
 public:
    /// Creates it empty and makes sure that every rank can write it. `bytes`: its expected size.
    PartFile(const FileGroup& group, const std::string& path, std::uint64_t bytes);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    const std::string& name() const { return name_; }

    /// After a failed write, with the HDF5 file still open: finds out from the file system why, since HDF5 does not pass the
    /// reason on, and gives the space back. Without room HDF5 cannot close the file, and a file that it could not close makes
    /// it crash in MPI_Finalize. Returns the reason on every rank, in brackets after a blank; empty where none is found.
    std::string give_up();

    /// Syncs the file to the disk and renames it to PATH.
    void commit();

 private:
    const FileGroup& group_;
    std::string path_, name_;
    std::uint64_t bytes_;
    bool committed_ = false;
};

}  // namespace jacobi
