// A collective shared-memory window of a node's ranks.
#pragma once

#include <cstddef>
#include <string>

#include "large_pages.hpp"
#include "topology.hpp"

namespace jacobi {

/// Where windows have their memory: Open MPI backs them with files there (its own variable names another folder than /dev/shm).
std::string window_folder();

/// Each rank contributes `bytes`; all can address all. Stays in a lock_all epoch from construction on; tear-down is
/// collective over the node, so it happens in close(), never in the destructor.
class SharedWindow {
 public:
    /// Collective over all ranks of the job, a window a node. Throws Error (collective) on all of them when the backing file
    /// system of any machine has too little room: MPI itself would hang or end in SIGBUS.
    SharedWindow(const Topology& topology, std::size_t bytes, const char* purpose);
    /// For a node's ranks alone, which throw alike; the others hear nothing of it.
    SharedWindow(MPI_Comm node, std::size_t bytes, const char* purpose);
    SharedWindow(const SharedWindow&) = delete;
    SharedWindow& operator=(const SharedWindow&) = delete;

    /// A rank's piece as this process addresses it, page-aligned.
    std::byte* base(int node_rank) const;
    /// Orders this process' plain accesses to the window with those of others around it (MPI_Win_sync).
    void sync() const { MPI_Win_sync(window_); }
    void close();

 private:
    void allocate(MPI_Comm node, std::size_t bytes, const char* purpose);

    MPI_Win window_ = MPI_WIN_NULL;
    LargePages pages_;
};

}  // namespace jacobi
