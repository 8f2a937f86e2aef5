// The processes that share one file: the communicator that HDF5 gets, and agreement on whether a step succeeded.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "error.hpp"
#include "geometry.hpp"
#include "hdf5_handle.hpp"

namespace jacobi {

class FileGroup {
 public:
    /// Collective. MPI_COMM_NULL stands for this process alone; MPI need not be initialised then.
    explicit FileGroup(MPI_Comm comm);
    ~FileGroup();
    FileGroup(const FileGroup&) = delete;
    FileGroup& operator=(const FileGroup&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool root() const { return rank_ == 0; }

    std::uint64_t sum(std::uint64_t value) const;  ///< modulo 2^64
    Index max(Index value) const;

    /// Runs `work` on every rank and waits for all. If it threw on any, all throw the same collective Error: the text of the
    /// lowest rank that failed, after that rank's name and host where others succeeded, with that rank's exit status. Only an
    /// Hdf5Error that breaks HDF5 (Hdf5Writing) is this rank's own: it passes at once, and nobody is waited for.
    void step(const std::function<void()>& work) const;
    /// The same with work for the root alone.
    void root_step(const std::function<void()>& work) const;

    /// File access properties: MPI-IO over this group, or the plain driver for a process alone.
    Hdf5Handle file_access() const;
    /// Transfer properties: collective.
    Hdf5Handle transfer() const;

 private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace jacobi
