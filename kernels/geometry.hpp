// Index arithmetic shared by all parts: cells, boxes of cells, directions between blocks.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#if defined(__CUDACC__)
#define JACOBI_HD __host__ __device__
#else
#define JACOBI_HD
#endif

namespace jacobi {

/// Cell counts and cell indices. Always 64 bits: one rank may hold more than 2^31 cells.
using Index = std::int64_t;

/// One value an axis, in the order x, y, z; x is the contiguous axis in memory.
using Index3 = std::array<Index, 3>;

inline constexpr std::array<char, 3> axis_names{'x', 'y', 'z'};

/// Number of cells, nx * ny * nz.
constexpr Index volume(const Index3& n) { return n[0] * n[1] * n[2]; }

/// Half-open box of cells, lo <= (x, y, z) < hi.
struct Box {
    Index3 lo{0, 0, 0};
    Index3 hi{0, 0, 0};

    constexpr Index3 extent() const { return {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]}; }
    constexpr bool empty() const { return hi[0] <= lo[0] || hi[1] <= lo[1] || hi[2] <= lo[2]; }
    constexpr Index cells() const { return empty() ? 0 : volume(extent()); }
    friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// The six faces of a block or of the grid, in the order x-, x+, y-, y+, z-, z+.
inline constexpr int face_count = 6;
inline constexpr std::array<const char*, face_count> face_names{"x-", "x+", "y-", "y+", "z-", "z+"};

/// One of the 27 offsets (dx, dy, dz), each -1, 0 or 1, from a block to a neighbouring block, as one number
/// (dx+1) + 3(dy+1) + 9(dz+1); 13 is the block itself. A depth-1 exchange uses the six with one non-zero part.
struct Direction {
    int code = 13;

    static constexpr int count = 27;
    static constexpr Direction of(int dx, int dy, int dz) { return {(dx + 1) + 3 * (dy + 1) + 9 * (dz + 1)}; }
    static constexpr Direction face(int face) {
        const int step = face % 2 == 0 ? -1 : 1;
        return of(face / 2 == 0 ? step : 0, face / 2 == 1 ? step : 0, face / 2 == 2 ? step : 0);
    }
    constexpr std::array<int, 3> offset() const { return {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1}; }
    constexpr Direction opposite() const { return {26 - code}; }
    friend constexpr bool operator==(Direction, Direction) = default;
};

/// The number of a face direction in the order of face_names; -1 for any other.
constexpr int face_of(Direction direction) {
    for (int f = 0; f < face_count; ++f) {
        if (Direction::face(f) == direction) return f;
    }
    return -1;
}

/// "x-", "y+", ... and "x-z+" for an edge: the non-zero parts in axis order.
inline std::string name(Direction direction) {
    std::string text;
    const auto offset = direction.offset();
    for (int a = 0; a < 3; ++a) {
        if (offset[a] != 0) {
            text += axis_names[a];
            text += offset[a] < 0 ? '-' : '+';
        }
    }
    return text;
}

}  // namespace jacobi
