// Memory layout of one rank's field: the block's cells with a halo around them, in one contiguous piece.
#pragma once

#include <algorithm>
#include <array>
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

/// Some rows of bytes in memory, count[0] times count[1] of them, pitch[0] and pitch[1] bytes apart.
struct StridedRows {
    std::size_t width = 0;  ///< bytes of a row
    std::array<std::size_t, 2> count{1, 1};
    std::array<std::size_t, 2> pitch{0, 0};

    std::size_t bytes() const { return width * count[0] * count[1]; }
    /// Without the last ones that are more than `most` bytes, but never fewer than one row.
    StridedRows at_most(std::size_t most) const {
        StridedRows rows = *this;
        rows.count[1] = std::clamp<std::size_t>(most / (width * count[0]), 1, count[1]);
        rows.count[0] = std::clamp<std::size_t>(most / width, 1, count[0]);
        return rows;
    }
};

/// What one layer of a block's cells across an axis is in memory: rows of x on y and z faces, filled up to 16 bytes; single cells
/// on x faces.
inline StridedRows face_rows(const FieldLayout& layout, const Index3& extent, int axis) {
    const auto bytes = [&](Index elements) { return static_cast<std::size_t>(elements) * layout.element; };
    const auto n = [&](int a) { return static_cast<std::size_t>(extent[a]); };
    const std::size_t row = (bytes(extent[0]) + 15) / 16 * 16;  // rows are at least 128 bytes apart
    if (axis == 0) return {layout.element, {n(1), n(2)}, {bytes(layout.pitch), bytes(layout.plane)}};
    if (axis == 1) return {row, {n(2), 1}, {bytes(layout.plane), 0}};
    return {row, {n(1), 1}, {bytes(layout.pitch), 0}};
}

/// Bytes of one generation's rims across a face of an axis, as persistent passes send them (backend.hpp, RimMailbox): 16 bytes
/// for each 8 of a row's, rows filled up to 16 bytes, or for each cell of an x face. Faces of two blocks that meet have equal
/// sizes.
inline std::size_t rim_bytes(const Index3& extent, std::size_t element, int axis) {
    const auto n = [&](int a) { return static_cast<std::size_t>(extent[a]); };
    const std::size_t row = 2 * ((n(0) * element + 15) / 16);
    return 16 * (axis == 0 ? n(1) * n(2) : axis == 1 ? row * n(2) : row * n(1));
}

}  // namespace jacobi
