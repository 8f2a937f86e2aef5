#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <csignal>

#include "field_slabs.hpp"
#include "part_file.hpp"
#include "snapshot.hpp"
#include "snapshot_attributes.hpp"

namespace jacobi {
namespace {

/// While it lives, a write beyond `ulimit -f` is an error to report, not a signal that kills.
class FileSizeSignalIgnored {
 public:
    FileSizeSignalIgnored() : before_(std::signal(SIGXFSZ, SIG_IGN)) {}
    ~FileSizeSignalIgnored() { std::signal(SIGXFSZ, before_); }
    FileSizeSignalIgnored(const FileSizeSignalIgnored&) = delete;
    FileSizeSignalIgnored& operator=(const FileSizeSignalIgnored&) = delete;

 private:
    void (*before_)(int);
};

/// Chunks of a compressed field: a rank's block, halved along its longest axis until it fits readers' usual chunk cache (1 MiB).
/// So few chunks are shared by ranks, and a slice of the field can be read without inflating all of it.
Index3 chunk_shape(const SnapshotInfo& info) {
    constexpr Index most_bytes = Index{1} << 20;
    Index3 chunk;
    for (int a = 0; a < 3; ++a) chunk[a] = (info.grid.cells[a] + info.decomposition[a] - 1) / info.decomposition[a];
    while (volume(chunk) * static_cast<Index>(bytes_of(info.precision)) > most_bytes) {
        Index& longest = *std::max_element(chunk.begin(), chunk.end());
        longest = (longest + 1) / 2;
    }
    return chunk;
}

Hdf5Handle create_field(hid_t file, const SnapshotInfo& info, int compression) {
    const auto& cells = info.grid.cells;
    const hsize_t extent[3] = {hsize_t(cells[2]), hsize_t(cells[1]), hsize_t(cells[0])};
    const Hdf5Handle space(H5Screate_simple(3, extent, nullptr), H5Sclose, "H5Screate_simple");
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate");
    check_hdf5(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
    check_hdf5(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    if (compression > 0) {
        const Index3 shape = chunk_shape(info);
        const hsize_t chunk[3] = {hsize_t(shape[2]), hsize_t(shape[1]), hsize_t(shape[0])};
        check_hdf5(H5Pset_chunk(creation, 3, chunk), "H5Pset_chunk");
        check_hdf5(H5Pset_shuffle(creation), "H5Pset_shuffle");
        check_hdf5(H5Pset_deflate(creation, static_cast<unsigned>(compression)), "H5Pset_deflate");
    }
    const hid_t type = info.precision == Precision::float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    return {H5Dcreate2(file, "u", type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, "H5Dcreate"};
}

/// The same field under the name where VTK's and ParaView's reader looks, with the geometry of an image.
void link_for_vtk(hid_t file, const Grid& grid) {
    const Hdf5Handle group(H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "H5Gcreate");
    const Hdf5Handle points(H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "H5Gcreate");
    check_hdf5(H5Lcreate_hard(file, "u", points, "u", H5P_DEFAULT, H5P_DEFAULT), "H5Lcreate_hard");

    std::vector<double> origin(3), spacing(3);
    for (int a = 0; a < 3; ++a) {
        origin[a] = cell_coordinate(grid, a, 0);
        spacing[a] = grid.spacing(a);
    }
    put_attribute(group, "Version", std::vector<Index>{1, 0});
    put_ascii_attribute(group, "Type", "ImageData");
    put_attribute(group, "WholeExtent", std::vector<Index>{0, grid.cells[0] - 1, 0, grid.cells[1] - 1, 0, grid.cells[2] - 1});
    put_attribute(group, "Origin", origin);
    put_attribute(group, "Spacing", spacing);
    put_attribute(group, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
}

/// Dimension scale of one axis, attached to the field: from it xarray knows the axis by name and the cells by coordinate.
Hdf5Handle create_scale(hid_t file, hid_t field, const Grid& grid, int axis) {
    const char name[2] = {axis_names[axis], '\0'};
    const auto cells = static_cast<hsize_t>(grid.cells[axis]);
    const Hdf5Handle space(H5Screate_simple(1, &cells, nullptr), H5Sclose, "H5Screate_simple");
    Hdf5Handle scale(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "H5Dcreate");
    check_hdf5(H5DSset_scale(scale, name), "H5DSset_scale");
    check_hdf5(H5DSattach_scale(field, scale, static_cast<unsigned>(2 - axis)), "H5DSattach_scale");
    return scale;
}

/// Stores an axis' coordinates, each rank an equal share.
void store_scale(const FileGroup& group, hid_t scale, const Grid& grid, int axis, std::uint64_t slab_bytes) {
    const Index cells = grid.cells[axis];
    Box share{{cells * group.rank() / group.size(), 0, 0}, {cells * (group.rank() + 1) / group.size(), 1, 1}};
    store_field(group, scale, ValueType::of(Precision::float64), share, slab_bytes, [&](Index, Index, void* values) {
        auto* coordinate = static_cast<double*>(values);
        for (Index i = share.lo[0]; i < share.hi[0]; ++i) *coordinate++ = cell_coordinate(grid, axis, i);
    });
}

void write_part(const FileGroup& group, const PartFile& part, const SnapshotInfo& info, const Box& block, int compression,
                const ReadPlanes& read, std::uint64_t slab_bytes) {
    const Hdf5Writing writing;
    Hdf5Handle file;
    group.step([&] {
        file = Hdf5Handle(H5Fcreate(part.name().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, group.file_access()), H5Fclose, "H5Fcreate");
    });
    {
        Hdf5Handle field;
        Hdf5Handle scales[3];
        group.step([&] {
            put_snapshot_attributes(file, info);
            field = create_field(file, info, compression);
            link_for_vtk(file, info.grid);
            for (int a = 0; a < 3; ++a) scales[a] = create_scale(file, field, info.grid, a);
        });
        for (int a = 0; a < 3; ++a) store_scale(group, scales[a], info.grid, a, slab_bytes);
        store_field(group, field, ValueType::of(info.precision), block, slab_bytes, read);
        group.step([&] { check_hdf5(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush"); });
    }
    group.step([&] { file.close("H5Fclose"); });
}

void verify_part(MPI_Comm comm, const PartFile& part, const SnapshotInfo& info, const Box& block, std::uint64_t slab_bytes) {
    const auto discard = [](Index, Index, const void*) {};
    const std::uint64_t digest = read_snapshot(comm, part.name(), block, info.precision, discard, slab_bytes);
    if (digest != info.digest) {
        throw Error(fmt::format("read back, the file has digest {:016x}, the field {:016x}: it was not stored as it is", digest,
                                info.digest),
                    Exit::failure, true);
    }
}

}  // namespace

double cell_coordinate(const Grid& grid, int axis, Index i) {
    return static_cast<double>(grid.periodic[axis] ? i : i + 1) * grid.spacing(axis);
}

std::uint64_t snapshot_bytes(const Grid& grid, Precision precision) {
    constexpr std::uint64_t attributes = std::uint64_t{64} << 10;
    const auto& n = grid.cells;
    return static_cast<std::uint64_t>(volume(n)) * bytes_of(precision) + static_cast<std::uint64_t>(n[0] + n[1] + n[2]) * 8 +
           attributes;
}

void write_snapshot(MPI_Comm comm, const std::string& path, const SnapshotInfo& info, const Box& block, int compression,
                    const ReadPlanes& read, std::uint64_t slab_bytes) {
    const FileGroup group(comm);
    const FileSizeSignalIgnored no_signal;
    try {
        PartFile part(group, path, snapshot_bytes(info.grid, info.precision));
        try {
            write_part(group, part, info, block, compression, read, slab_bytes);
        } catch (const Hdf5Error& error) {
            part.abandon(error.what());
        }
        verify_part(comm, part, info, block, slab_bytes);
        part.commit();
    } catch (const Error& error) {
        throw Error(fmt::format("cannot write {}: {}", path, error.what()), Exit::failure, error.collective());
    }
}

}  // namespace jacobi
