// Transfer of one rank's box of a field between memory and a file, in slabs of bounded size and in step with all other ranks.
#pragma once

#include "file_group.hpp"
#include "snapshot.hpp"

namespace jacobi {

/// A box cut into tiles of at most `limit` bytes: whole planes where one fits, else rows of one plane, else parts of one row.
/// So each tile's values are contiguous in a buffer that holds its planes.
class Slabs {
 public:
    Slabs(const Index3& extent, std::size_t value_bytes, std::uint64_t limit);
    Index count() const { return volume(tiles_); }
    /// Cells of tile i relative to the box, x fastest: the tiles of a plane follow each other.
    Box operator[](Index i) const;
    /// Planes that a buffer must hold.
    Index planes() const { return tile_[2]; }

 private:
    Index3 extent_;
    Index3 tile_{1, 1, 1};
    Index3 tiles_{0, 0, 0};
};

/// Memory type and size of a stored value.
struct ValueType {
    hid_t id;
    std::size_t bytes;
    static ValueType of(Precision precision);
};

/// Collective: stores `block` of `dataset`, a field (z, y, x), or of one over x alone when the dataset has one axis. Every rank
/// makes as many collective calls as the rank with most slabs, the last ones with an empty selection.
void store_field(const FileGroup& group, hid_t dataset, ValueType type, const Box& block, std::uint64_t limit,
                 const ReadPlanes& read);

/// Collective: the same the other way.
void load_field(const FileGroup& group, hid_t dataset, ValueType type, const Box& block, std::uint64_t limit,
                const WritePlanes& write);

}  // namespace jacobi
