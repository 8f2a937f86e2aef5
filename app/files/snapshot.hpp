// One field in one HDF5 file, written collectively and readable as it is by h5py, xarray and ParaView (VTKHDF ImageData).
//
// All functions here that take a communicator are collective over it. MPI_COMM_NULL stands for this process alone, which then
// needs no MPI at all (serial tools). Errors are thrown on every rank alike (Error::collective), naming the file; only that HDF5
// cannot write a file is an error of one rank, which ends the job.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "problem.hpp"

namespace jacobi {

/// What a snapshot says of itself; attributes of the same names on "/".
struct SnapshotInfo {
    Grid grid;  ///< cells: the field's shape; attributes `length` and `periodic`
    Precision precision = Precision::float64;
    Index iteration = 0;
    double residual_max = 0;
    std::uint64_t digest = 0;  ///< of the whole field; written as 16 hex digits
    std::string deck;          ///< resolved deck
    std::string version, git;
    int ranks = 1;
    std::array<int, 3> decomposition{1, 1, 1};
    std::string transports;
};

/// Copies planes z0 <= z < z1 of this rank's block (block-local z) to host memory, x fastest, without gaps.
using ReadPlanes = std::function<void(Index z0, Index z1, void* destination)>;
using WritePlanes = std::function<void(Index z0, Index z1, const void* source)>;

/// Most bytes that one rank transfers in one collective call; HDF5 and MPI-IO of today fail above 2 GiB. It also bounds the
/// buffer in host memory, which holds one slab or one plane of the block, whichever is more.
inline constexpr std::uint64_t max_slab_bytes = std::uint64_t{1} << 30;

/// Upper bound of the size of an uncompressed snapshot's file, for check_output_path.
std::uint64_t snapshot_bytes(const Grid& grid, Precision precision);

/// Coordinate of cell i on an axis: the first unknown lies one spacing behind a Dirichlet face, and at 0 on a periodic axis.
double cell_coordinate(const Grid& grid, int axis, Index i);

/// Writes PATH.part in slabs, closes, reads it back, compares the digest with info.digest, syncs and renames: PATH is always
/// whole, old or new, and no PATH.part is left behind. `block` is this rank's part of the grid; `compression` 1..9 deflates
/// chunks, 0 stores the field in one piece. Throws Error with Exit::failure: no space, folder gone, digest differs, ... After one
/// of one rank (no space: collective() is false) HDF5 must not be used again, nor MPI_Finalize be called.
void write_snapshot(MPI_Comm comm, const std::string& path, const SnapshotInfo& info, const Box& block, int compression,
                    const ReadPlanes& read, std::uint64_t slab_bytes = max_slab_bytes);

/// Attributes and shape of a snapshot. Throws Error with Exit::usage when the file is not one.
SnapshotInfo read_snapshot_info(MPI_Comm comm, const std::string& path);

/// Reads `block` of the file's field, whose precision must be `precision`, in slabs and hands each to `write`. Returns the
/// digest of the cells that all ranks read together: SnapshotInfo::digest where their blocks tile the grid and the data is sound.
/// Throws Error with Exit::usage when the file is no snapshot, has another precision or does not contain the block.
std::uint64_t read_snapshot(MPI_Comm comm, const std::string& path, const Box& block, Precision precision,
                            const WritePlanes& write, std::uint64_t slab_bytes = max_slab_bytes);

}  // namespace jacobi
