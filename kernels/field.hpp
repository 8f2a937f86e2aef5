// Memory layout of one rank's field: the block's cells with a halo around them, in one contiguous piece.
#pragma once

#include <cstddef>

#include "geometry.hpp"

namespace jacobi {

/// Rows start on this boundary, so that vector stores and whole memory sectors of interior rows are aligned.
inline constexpr std::size_t row_alignment = 128;

/// Cell (x, y, z), each from -halo to extent + halo - 1, lies at element origin + x + pitch y + plane z. The left halo of a row
/// is the tail of the row before it in memory: x = 0 is aligned and a row wastes less than one alignment unit.
struct FieldLayout {
    Index3 extent{0, 0, 0};   ///< cells of the block
    int halo = 1;             ///< layers around them
    std::size_t element = 8;  ///< bytes of a value
    Index pitch = 0;          ///< elements from y to y + 1
    Index plane = 0;          ///< elements from z to z + 1
    Index origin = 0;         ///< element of cell (0, 0, 0)
    std::size_t bytes = 0;    ///< of the whole field, a multiple of row_alignment

    FieldLayout() = default;
    FieldLayout(const Index3& block, int halo_depth, std::size_t element_bytes)
        : extent(block), halo(halo_depth), element(element_bytes) {
        const Index unit = static_cast<Index>(row_alignment / element);
        const auto up = [unit](Index n) { return (n + unit - 1) / unit * unit; };
        pitch = up(extent[0] + 2 * halo);
        plane = pitch * (extent[1] + 2 * halo);
        origin = up(halo) + pitch * halo + plane * halo;
        bytes = static_cast<std::size_t>(up(halo) + plane * (extent[2] + 2 * halo)) * element;
    }
    Index at(Index x, Index y, Index z) const { return origin + x + pitch * y + plane * z; }
    friend bool operator==(const FieldLayout&, const FieldLayout&) = default;
};

}  // namespace jacobi
