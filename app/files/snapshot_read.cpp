#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "digest.hpp"
#include "field_slabs.hpp"
#include "input_path.hpp"
#include "snapshot.hpp"
#include "snapshot_attributes.hpp"

namespace jacobi {
namespace {

/// A snapshot open for reading. The file comes first: what lives in it must be closed before it.
struct Opened {
    Hdf5Handle file;
    Hdf5Handle field;
    SnapshotInfo info;
};

void open_field(Opened& opened) {
    check_hdf5(H5Lexists(opened.file, "u", H5P_DEFAULT) > 0 ? 0 : -1, "dataset /u is missing");
    opened.field = Hdf5Handle(H5Dopen2(opened.file, "u", H5P_DEFAULT), H5Dclose, "H5Dopen");
    const Hdf5Handle space(H5Dget_space(opened.field), H5Sclose, "H5Dget_space");
    const Hdf5Handle type(H5Dget_type(opened.field), H5Tclose, "H5Dget_type");
    if (H5Sget_simple_extent_ndims(space) != 3) throw std::runtime_error("dataset /u does not have three axes");
    if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != bytes_of(opened.info.precision)) {
        throw std::runtime_error("the type of dataset /u is not what attribute precision says");
    }
    hsize_t extent[3];
    check_hdf5(H5Sget_simple_extent_dims(space, extent, nullptr), "H5Sget_simple_extent_dims");
    for (int a = 0; a < 3; ++a) opened.info.grid.cells[a] = static_cast<Index>(extent[2 - a]);
}

Opened open_snapshot(const FileGroup& group, const std::string& path) {
    Opened opened;
    try {
        group.step([&] {  // the system's own words where there are any, and before a collective call that only some could make
            const std::string fault = check_input_path(path);
            if (!fault.empty()) throw std::runtime_error(fault);
            if (access(path.c_str(), R_OK) != 0) throw std::runtime_error(std::strerror(errno));
        });
        group.step(
            [&] { opened.file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, group.file_access()), H5Fclose, "H5Fopen"); });
        group.step([&] {
            opened.info = get_snapshot_attributes(opened.file);
            open_field(opened);
        });
    } catch (const Error& error) {
        throw Error(fmt::format("{} cannot be used as a snapshot: {}", path, error.what()), Exit::usage, true);
    }
    return opened;
}

/// Digest of planes z0 <= z < z1 of a block, from their values in a gap-free buffer.
template <class T>
std::uint64_t digest_planes(const Grid& grid, const Box& block, Index z0, Index z1, const T* values) {
    std::uint64_t digest = 0;
    for (Index z = block.lo[2] + z0; z < block.lo[2] + z1; ++z) {
        for (Index y = block.lo[1]; y < block.hi[1]; ++y) {
            for (Index x = block.lo[0]; x < block.hi[0]; ++x) digest += digest_term(grid.linear(x, y, z), *values++);
        }
    }
    return digest;
}

void check_request(const SnapshotInfo& info, const Box& block, Precision precision) {
    if (info.precision != precision) {
        throw Error(info.precision == Precision::float64 ? "its precision is double, float was asked for"
                                                         : "its precision is float, double was asked for");
    }
    for (int a = 0; a < 3; ++a) {
        if (!block.empty() && (block.lo[a] < 0 || block.hi[a] > info.grid.cells[a])) {
            throw Error(fmt::format("it has {} cells along {}, cells {} to {} were asked for", info.grid.cells[a], axis_names[a],
                                    block.lo[a], block.hi[a] - 1));
        }
    }
}

}  // namespace

SnapshotInfo read_snapshot_info(MPI_Comm comm, const std::string& path) { return open_snapshot(FileGroup(comm), path).info; }

std::uint64_t read_snapshot(MPI_Comm comm, const std::string& path, const Box& block, Precision precision,
                            const WritePlanes& write, std::uint64_t slab_bytes) {
    const FileGroup group(comm);
    const Opened opened = open_snapshot(group, path);
    const Grid& grid = opened.info.grid;
    std::uint64_t digest = 0;
    try {
        group.step([&] { check_request(opened.info, block, precision); });
        load_field(group, opened.field, ValueType::of(precision), block, slab_bytes, [&](Index z0, Index z1, const void* planes) {
            digest += precision == Precision::float64 ? digest_planes(grid, block, z0, z1, static_cast<const double*>(planes))
                                                      : digest_planes(grid, block, z0, z1, static_cast<const float*>(planes));
            write(z0, z1, planes);
        });
    } catch (const Error& error) {
        throw Error(fmt::format("cannot read {}: {}", path, error.what()), Exit::usage, true);
    }
    return group.sum(digest);
}

}  // namespace jacobi
