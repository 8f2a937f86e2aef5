#include "field_slabs.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace jacobi {
namespace {

constexpr Index blocks_of(Index total, Index size) { return (total + size - 1) / size; }

/// Selects `cells` of the file's dataspace and describes them in memory; nothing at all for an empty box.
struct Selection {
    Hdf5Handle file, memory;

    Selection(hid_t dataset, const Box& cells)
        : file(H5Dget_space(dataset), H5Sclose, "H5Dget_space"), memory(select(file, cells), H5Sclose, "H5Screate_simple") {}

 private:
    static hid_t select(hid_t space, const Box& cells) {
        const int axes = H5Sget_simple_extent_ndims(space);
        std::array<hsize_t, 3> start{}, count{1, 1, 1};
        if (cells.empty()) {
            check_hdf5(H5Sselect_none(space), "H5Sselect_none");
            const hid_t memory = H5Screate_simple(axes, count.data(), nullptr);
            if (memory >= 0) check_hdf5(H5Sselect_none(memory), "H5Sselect_none");
            return memory;
        }
        for (int a = 0; a < 3; ++a) {  // HDF5 lists the slowest axis first
            start[2 - a] = static_cast<hsize_t>(cells.lo[a]);
            count[2 - a] = static_cast<hsize_t>(cells.extent()[a]);
        }
        const int skipped = 3 - axes;
        check_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data() + skipped, nullptr, count.data() + skipped, nullptr),
                   "H5Sselect_hyperslab");
        return H5Screate_simple(axes, count.data() + skipped, nullptr);
    }
};

/// The walk over slabs that storing and loading share. `planes` is called with the first and last tile of a buffer's worth of
/// planes (before and after the transfers); `call` is the collective HDF5 call.
struct Walk {
    const FileGroup& group;
    hid_t dataset;
    ValueType type;
    const Box& block;
    std::uint64_t limit;

    template <class Before, class Call, class After>
    void run(Before&& before, Call&& call, After&& after) const {
        const Index3 extent = block.empty() ? Index3{0, 0, 0} : block.extent();
        const Slabs slabs(extent, type.bytes, limit);
        std::unique_ptr<std::byte[]> buffer;
        Hdf5Handle transfer;
        group.step([&] {
            buffer.reset(new std::byte[static_cast<std::size_t>(extent[0] * extent[1] * slabs.planes()) * type.bytes]);
            transfer = group.transfer();
        });
        const Index calls = group.max(slabs.count());
        for (Index i = 0; i < calls; ++i) {
            group.step([&] {
                Box tile = i < slabs.count() ? slabs[i] : Box{};
                const bool first = !tile.empty() && tile.lo[0] == 0 && tile.lo[1] == 0;
                const bool last = !tile.empty() && tile.hi[0] == extent[0] && tile.hi[1] == extent[1];
                const Index z0 = tile.lo[2], z1 = tile.hi[2];
                std::byte* values = buffer.get() + static_cast<std::size_t>(tile.lo[0] + extent[0] * tile.lo[1]) * type.bytes;

                std::exception_ptr fault;  // a rank whose own part failed still takes part in the collective call
                try {
                    if (first) before(z0, z1, buffer.get());
                } catch (...) {
                    fault = std::current_exception();
                    tile = Box{};
                }
                for (int a = 0; a < 3 && !tile.empty(); ++a) {
                    tile.lo[a] += block.lo[a];
                    tile.hi[a] += block.lo[a];
                }
                const Selection selection(dataset, tile);
                call(selection, transfer, values);
                if (fault) std::rethrow_exception(fault);
                if (last) after(z0, z1, buffer.get());
            });
        }
    }
};

}  // namespace

Slabs::Slabs(const Index3& extent, std::size_t value_bytes, std::uint64_t limit) : extent_(extent) {
    if (volume(extent) == 0) return;
    // Grow the tile axis by axis; an axis is cut only while every faster one is whole.
    Index room = std::max<Index>(1, static_cast<Index>(limit / value_bytes));
    for (int a = 0; a < 3; ++a) {
        tile_[a] = std::clamp<Index>(room, 1, extent[a]);
        room = tile_[a] == extent[a] ? room / extent[a] : 1;
        tiles_[a] = blocks_of(extent[a], tile_[a]);
    }
}

Box Slabs::operator[](Index i) const {
    const Index3 at{i % tiles_[0], i / tiles_[0] % tiles_[1], i / tiles_[0] / tiles_[1]};
    Box box;
    for (int a = 0; a < 3; ++a) {
        box.lo[a] = at[a] * tile_[a];
        box.hi[a] = std::min(extent_[a], box.lo[a] + tile_[a]);
    }
    return box;
}

ValueType ValueType::of(Precision precision) {
    return {precision == Precision::float64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, bytes_of(precision)};
}

void store_field(const FileGroup& group, hid_t dataset, ValueType type, const Box& block, std::uint64_t limit,
                 const ReadPlanes& read) {
    Walk{group, dataset, type, block, limit}.run([&](Index z0, Index z1, std::byte* planes) { read(z0, z1, planes); },
                                                 [&](const Selection& s, hid_t transfer, const std::byte* values) {
                                                     check_hdf5(H5Dwrite(dataset, type.id, s.memory, s.file, transfer, values),
                                                                "H5Dwrite");
                                                 },
                                                 [](Index, Index, std::byte*) {});
}

void load_field(const FileGroup& group, hid_t dataset, ValueType type, const Box& block, std::uint64_t limit,
                const WritePlanes& write) {
    Walk{group, dataset, type, block, limit}.run([](Index, Index, std::byte*) {},
                                                 [&](const Selection& s, hid_t transfer, std::byte* values) {
                                                     check_hdf5(H5Dread(dataset, type.id, s.memory, s.file, transfer, values),
                                                                "H5Dread");
                                                 },
                                                 [&](Index z0, Index z1, std::byte* planes) { write(z0, z1, planes); });
}

}  // namespace jacobi
