// Where a field's cells lie in memory, for small fields cell by cell and for fake extents beyond 2^31 cells by arithmetic.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "field.hpp"

namespace jacobi {
namespace {

__extension__ using Wide = __int128;  // wide enough for any product of the extents below

std::string text(const FieldLayout& f) {
    return std::to_string(f.extent[0]) + " x " + std::to_string(f.extent[1]) + " x " + std::to_string(f.extent[2]) + ", halo " +
           std::to_string(f.halo) + ", " + std::to_string(f.element) + " bytes a value";
}

/// Calls visit(x, y, z) for every cell, halos included.
template <class Visit>
void for_cells(const FieldLayout& f, Visit visit) {
    for (Index z = -f.halo; z < f.extent[2] + f.halo; ++z) {
        for (Index y = -f.halo; y < f.extent[1] + f.halo; ++y) {
            for (Index x = -f.halo; x < f.extent[0] + f.halo; ++x) visit(x, y, z);
        }
    }
}

std::vector<FieldLayout> small_layouts() {
    std::vector<FieldLayout> all;
    for (const std::size_t element : {8, 4}) {
        for (int halo = 1; halo <= 4; ++halo) {
            for (const Index nx : {1, 2, 7, 8, 13, 14, 15, 16, 17, 30, 31, 32, 33, 61, 64, 65}) {
                for (const Index ny : {1, 2, 5}) {
                    for (const Index nz : {1, 3, 4}) all.push_back({{nx, ny, nz}, halo, element});
                }
            }
        }
    }
    return all;
}

TEST(FieldLayout, GivesEveryCellAnElementOfItsOwn) {
    for (const FieldLayout& f : small_layouts()) {
        std::vector<bool> taken(f.bytes / f.element);
        bool inside = true, alone = true;
        for_cells(f, [&](Index x, Index y, Index z) {
            const Index i = f.at(x, y, z);
            inside = inside && i >= 0 && i < static_cast<Index>(taken.size());
            if (!inside) return;
            alone = alone && !taken[i];
            taken[i] = true;
        });
        ASSERT_TRUE(inside) << text(f);
        ASSERT_TRUE(alone) << text(f);
    }
}

TEST(FieldLayout, AlignsTheFirstCellOfEveryRow) {
    for (const FieldLayout& f : small_layouts()) {
        ASSERT_EQ(f.bytes % row_alignment, 0u) << text(f);
        for_cells(f, [&](Index x, Index y, Index z) {
            if (x != 0) return;
            ASSERT_EQ(f.at(x, y, z) * static_cast<Index>(f.element) % static_cast<Index>(row_alignment), 0) << text(f);
        });
    }
}

TEST(FieldLayout, WastesLessThanOneAlignmentUnitARow) {
    for (const FieldLayout& f : small_layouts()) {
        const auto rows = static_cast<std::size_t>((f.extent[1] + 2 * f.halo) * (f.extent[2] + 2 * f.halo));
        const auto row_bytes = static_cast<std::size_t>(f.extent[0] + 2 * f.halo) * f.element;
        ASSERT_LT(f.bytes, rows * (row_bytes + row_alignment) + row_alignment) << text(f);
        ASSERT_GE(f.bytes, rows * row_bytes) << text(f);
    }
}

TEST(FieldLayout, StepsByItsStrides) {
    for (const FieldLayout& f : small_layouts()) {
        ASSERT_EQ(f.at(0, 0, 0), f.origin) << text(f);
        for_cells(
            f, [&](Index x, Index y, Index z) { ASSERT_EQ(f.at(x, y, z), f.origin + x + y * f.pitch + z * f.plane) << text(f); });
    }
}

TEST(FieldLayout, PutsCellsBeyondXFacesApartWhereRowsAreWholePacks) {
    int apart = 0;
    for (const FieldLayout& f : small_layouts()) {
        const FieldLayout a(f.extent, f.halo, f.element, XFaces::apart);
        const Index row = f.extent[0] * static_cast<Index>(f.element);
        ASSERT_EQ(a.apart(), f.halo == 1 && row % 16 == 0 && row / 16 % 32 != 1) << text(f);
        apart += a.apart() ? 1 : 0;
        ASSERT_TRUE(a.pitch == f.pitch && a.plane == f.plane && a.origin == f.origin) << text(f);
        ASSERT_EQ(a.bytes % row_alignment, 0u) << text(f);
        std::vector<bool> taken(a.bytes / a.element);
        for_cells(f, [&](Index x, Index y, Index z) { taken[static_cast<std::size_t>(a.at(x, y, z))] = true; });
        for (int face = 0; face < 2; ++face) {
            const XHalo halo = a.x_halo(face);
            for (Index z = 0; z < f.extent[2]; ++z) {
                for (Index y = 0; y < f.extent[1]; ++y) {
                    const Index i = halo.first + y * halo.pitch + z * halo.plane;
                    if (!a.apart()) {
                        ASSERT_EQ(i, f.at(face == 0 ? -1 : f.extent[0], y, z)) << text(f);
                        continue;
                    }
                    ASSERT_TRUE(i >= 0 && i < static_cast<Index>(taken.size())) << text(f);
                    ASSERT_FALSE(taken[static_cast<std::size_t>(i)]) << text(f);
                    taken[static_cast<std::size_t>(i)] = true;
                }
            }
        }
    }
    EXPECT_GT(apart, 50);
}

TEST(FieldLayout, CountsIn64BitsBeyondTwoToThe31Cells) {
    for (const std::size_t element : {8, 4}) {
        for (int halo = 1; halo <= 4; ++halo) {
            for (const Index3& n : {Index3{1291, 1291, 1291},
                                    {3000, 3000, 3000},
                                    {Index{1} << 32, 3, 5},
                                    {3, Index{1} << 32, 5},
                                    {5, 3, Index{1} << 32},
                                    {Index{1} << 20, Index{1} << 20, 1 << 18}}) {
                const FieldLayout f(n, halo, element);
                const Wide unit = static_cast<Wide>(row_alignment / element);
                const Wide pitch = (Wide{n[0]} + 2 * halo + unit - 1) / unit * unit;
                const Wide plane = pitch * (Wide{n[1]} + 2 * halo);
                const Wide elements = plane * (Wide{n[2]} + 2 * halo);
                ASSERT_TRUE(Wide{f.pitch} == pitch && Wide{f.plane} == plane) << text(f);
                ASSERT_TRUE(Wide{f.bytes} >= elements * element && Wide{f.bytes} <= elements * element + 2 * row_alignment)
                    << text(f);
                ASSERT_GE(f.at(-halo, -halo, -halo), 0) << text(f);
                ASSERT_LT(f.at(n[0] + halo - 1, n[1] + halo - 1, n[2] + halo - 1), static_cast<Index>(f.bytes / f.element))
                    << text(f);
                const Wide span = (n[0] - 1) + pitch * (n[1] - 1) + plane * (n[2] - 1);
                ASSERT_TRUE(Wide{f.at(n[0] - 1, n[1] - 1, n[2] - 1)} - f.origin == span) << text(f);
            }
        }
    }
}

}  // namespace
}  // namespace jacobi
