// Memory layout of one rank's field: the block's cells with a halo around them, in one contiguous piece.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "geometry.hpp"

namespace jacobi {

/// Rows start on this boundary, so that vector stores and whole memory sectors of interior rows are aligned.
inline constexpr std::size_t row_alignment = 128;

/// Where a layout that has the choice puts the cells beyond x faces: in their rows, or apart from them, one face's side by side.
/// In its row such a cell is all that is wanted of a line of memory; a GPU reads 2 to 6 % more for it, and a neighbour that
/// stores it makes memory read that line once more.
enum class XFaces { in_place, apart };

/// The cells beyond an x face: that of row (y, z) is element first + pitch y + plane z.
struct XHalo {
    Index first, pitch, plane;
};

/// Cell (x, y, z), each from -halo to extent + halo - 1, lies at element origin + x + pitch y + plane z. The left halo of a row
/// is the tail of the row before it in memory: x = 0 is aligned and a row wastes less than one alignment unit. Cells beyond
/// x faces lie where x_halo says: apart, those rows' ends are not used.
struct FieldLayout {
    Index3 extent{0, 0, 0};             ///< cells of the block
    int halo = 1;                       ///< layers around them
    std::size_t element = 8;            ///< bytes of a value
    Index pitch = 0;                    ///< elements from y to y + 1
    Index plane = 0;                    ///< elements from z to z + 1
    Index origin = 0;                   ///< element of cell (0, 0, 0)
    std::size_t bytes = 0;              ///< of the whole field, a multiple of row_alignment
    XFaces x_faces = XFaces::in_place;  ///< what was asked for; see apart()

    FieldLayout() = default;
    FieldLayout(const Index3& block, int halo_depth, std::size_t element_bytes, XFaces beyond_x = XFaces::in_place)
        : extent(block), halo(halo_depth), element(element_bytes), x_faces(beyond_x) {
        const Index unit = static_cast<Index>(row_alignment / element);
        const auto up = [unit](Index n) { return (n + unit - 1) / unit * unit; };
        pitch = up(extent[0] + 2 * halo);
        plane = pitch * (extent[1] + 2 * halo);
        origin = up(halo) + pitch * halo + plane * halo;
        bytes = static_cast<std::size_t>(up(halo) + plane * (extent[2] + 2 * halo)) * element;
        if (apart()) bytes += 2 * face_bytes();
    }
    /// Are rows whole 16-byte packs, and not a single pack more than groups of 32, a warp's? Then a lane that has a row's last
    /// pack has its left neighbour in another lane, and its right one beyond the face.
    bool whole_packs() const {
        const auto row = static_cast<std::size_t>(extent[0]) * element;
        return row % 16 == 0 && row / 16 % 32 != 1;
    }
    /// Do cells beyond x faces lie apart? Only a single layer does, and only where no lane has to put a pack together or has both
    /// its neighbours apart.
    bool apart() const { return x_faces == XFaces::apart && halo == 1 && whole_packs(); }
    /// Face 0 (x = -1) or 1 (x = extent).
    XHalo x_halo(int f) const {
        if (!apart()) return {at(f == 0 ? -1 : extent[0], 0, 0), pitch, plane};
        return {static_cast<Index>((bytes - static_cast<std::size_t>(2 - f) * face_bytes()) / element), 1, extent[1]};
    }
    Index at(Index x, Index y, Index z) const { return origin + x + pitch * y + plane * z; }
    friend bool operator==(const FieldLayout&, const FieldLayout&) = default;

 private:
    std::size_t face_bytes() const {
        const std::size_t cells = static_cast<std::size_t>(extent[1]) * static_cast<std::size_t>(extent[2]) * element;
        return (cells + row_alignment - 1) / row_alignment * row_alignment;
    }
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

/// What one layer of cells beyond a face across an axis is in memory: rows of x on y and z faces, filled up to 16 bytes; single
/// cells on x faces.
inline StridedRows face_rows(const FieldLayout& layout, const Index3& extent, int axis) {
    const auto bytes = [&](Index elements) { return static_cast<std::size_t>(elements) * layout.element; };
    const auto n = [&](int a) { return static_cast<std::size_t>(extent[a]); };
    const std::size_t row = (bytes(extent[0]) + 15) / 16 * 16;  // rows are at least 128 bytes apart
    if (axis == 0) {
        const XHalo halo = layout.x_halo(0);
        return {layout.element, {n(1), n(2)}, {bytes(halo.pitch), bytes(halo.plane)}};
    }
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
