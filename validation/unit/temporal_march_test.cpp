// The device code of passes of several sweeps, run by host threads: it must store the bits of plain sweeps, in the block and in
// what goes to neighbours, whatever parts of windows share a thread block. What this cannot show is the barrier in two halves and
// asynchronous copies, which take plain forms here.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "device_on_host.hpp"
// After the device language.
#include "cuda/temporal_march.cuh"
#include "layers.hpp"

namespace jacobi::cuda {
namespace {

/// A block of cells with a margin on all sides.
template <class T>
struct Cube {
    std::array<int, 3> n;
    Index margin, pitch, plane, origin;
    struct alignas(128) Line {
        T cells[128 / sizeof(T)];
    };
    std::vector<Line> memory;

    Cube(const std::array<int, 3>& cells, int around, T value)
        : n(cells),
          margin(around),
          pitch((n[0] + 2 * margin + 31) / 32 * 32),
          plane(pitch * (n[1] + 2 * margin)),
          origin((margin + 31) / 32 * 32 + margin * (pitch + plane)) {
        Line line;
        for (T& cell : line.cells) cell = value;
        memory.assign(static_cast<std::size_t>(origin + plane * (n[2] + margin) + pitch) * sizeof(T) / sizeof(Line) + 1, line);
    }
    /// Cell (0, 0, 0): on 128 bytes, as rows of fields are.
    T* first() { return memory.front().cells + origin; }
    T& at(int x, int y, int z) { return first()[x + y * pitch + z * plane]; }
    template <class Visit>
    void each(int around, Visit&& visit) const {
        for (int z = -around; z < n[2] + around; ++z) {
            for (int y = -around; y < n[1] + around; ++y) {
                for (int x = -around; x < n[0] + around; ++x) visit(x, y, z);
            }
        }
    }
};

template <class T>
T noise(int x, int y, int z) {
    std::uint64_t h = static_cast<std::uint64_t>((x + 100) + 1000 * (y + 100) + 1000000 * (z + 100)) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
    return static_cast<T>(static_cast<double>(h >> 11) * 0x1p-52 - 1);
}

/// One pass on a block with neighbours on the faces of `mask`, which get `layers` layers.
template <class T, int N, int Depth, int Warps, bool Rhs>
class Pass {
 public:
    static constexpr int rows = 4;
    using Tile = TemporalTile<T, N, Depth, Warps, rows, Rhs>;
    using Cells3 = std::array<int, 3>;

    Pass(const Cells3& n, unsigned mask, int layers)
        : n_(n),
          layers_(layers),
          u_(n, layers, unknown),
          b_(n, layers, unknown),
          out_(n, layers, unset),
          // On every other block neighbours have this block's strides, so that whole packs go there at a fixed distance.
          there_(27, Cube<T>(n, n[0] % 2 == 0 ? layers : 0, unset)) {
        for (unsigned f = 0; f < face_count; ++f) connected_[f] = (mask >> f & 1u) != 0;
        u_.each(layers, [&](int x, int y, int z) {
            if (!exists({x, y, z})) return;
            u_.at(x, y, z) = noise<T>(x, y, z);
            b_.at(x, y, z) = noise<T>(z, x, y);
        });
        for (int a = 0; a < 3; ++a) args_.n[a] = n[static_cast<std::size_t>(a)];
        for (int f = 0; f < face_count; ++f) {
            args_.dirichlet[f] = !connected_[static_cast<std::size_t>(f)];
            args_.face[f] = static_cast<T>(0.25 * f - 1);
            if (f % 2 == 1) args_.reach[f / 2] = args_.dirichlet[f] ? 0 : layers;
        }
        args_.u = u_.first();
        args_.out = out_.first();
        args_.cx = T(0.21);
        args_.cy = T(0.17);
        args_.cz = T(0.12);
        args_.pitch = u_.pitch;
        args_.plane = u_.plane;
        args_.rhs_at(b_.first());
        to_.depth = layers;
        for (int code = 0; code < Direction::count; ++code) {
            if (!neighbour(code)) continue;
            Cube<T>& there = there_[static_cast<std::size_t>(code)];
            to_.origin[code] = there.first();
            to_.pitch[code] = there.pitch;
            to_.plane[code] = there.plane;
        }
        for (int f = 0; f < 4; ++f) {
            const int code = Direction::face(f).code;
            const bool same = to_.pitch[code] == out_.pitch && to_.plane[code] == out_.plane;
            to_.shift[f] = same ? reinterpret_cast<char*>(to_.origin[code]) - reinterpret_cast<char*>(args_.out) : 1;
        }
    }

    void run() {
        const TemporalPlan plan = plan_temporal(n_, connected_, layers_, Tile::window(), 2);
        std::vector<std::byte> memory(Tile::shared + 128);
        std::byte* const shared = memory.data() + (128 - reinterpret_cast<std::uintptr_t>(memory.data()) % 128) % 128;
        run_block(Warps, [&](unsigned thread) {
            for (int i = 0; i < static_cast<int>(plan.segments.size()); ++i) {
                const Segment& s = plan.segments[static_cast<std::size_t>(i)];
                if (thread == 0) std::memset(shared, 0xff, Tile::shared);  // NaNs
                __syncthreads();
                TemporalMarch<T, N, Depth, Warps, rows, Rhs>(args_, to_, shared).run(s);
                __syncthreads();
                if (i >= plan.touching) continue;
                for (int w = 0; w < s.count(); ++w)
                    push_layers<32 * Warps>(to_, args_.out, args_.pitch, args_.plane, args_.n, s.windows[w], s.z_lo, s.z_hi,
                                            thread);
                __syncthreads();
            }
        });
        for (const Segment& s : plan.segments) {
            shared_across += s.across > 1 && s.windows[1].x_lo < s.windows[1].x_hi;
            shared_up += s.up > 1 && s.windows[1].x_lo < s.windows[1].x_hi;
        }
    }

    /// How many values are not what they should be.
    int wrong() {
        Cube<T> expected = u_;
        for (int i = 0; i < Depth; ++i) expected = swept(expected);
        int count = 0;
        out_.each(layers_, [&](int x, int y, int z) {
            const bool inside = x >= 0 && y >= 0 && z >= 0 && x < n_[0] && y < n_[1] && z < n_[2];
            count += out_.at(x, y, z) != (inside ? expected.at(x, y, z) : unset);
        });
        for (int code = 0; code < Direction::count; ++code) {
            if (!neighbour(code)) continue;
            Cube<T>& there = there_[static_cast<std::size_t>(code)];
            there.each(0, [&](int x, int y, int z) {
                count += there.at(x, y, z) != (needed(code, {x, y, z}) ? expected.at(x, y, z) : unset);
            });
        }
        return count;
    }

    int shared_across = 0, shared_up = 0;  ///< thread blocks with several windows

 private:
    static constexpr T unknown = std::numeric_limits<T>::quiet_NaN(), unset = 777;

    bool exists(const Cells3& cell) const {
        for (std::size_t a = 0; a < 3; ++a) {
            if (cell[a] < 0 && !connected_[2 * a]) return false;
            if (cell[a] >= n_[a] && !connected_[2 * a + 1]) return false;
        }
        return true;
    }
    bool neighbour(int code) const {
        const auto offset = Direction{code}.offset();
        bool all = code != Direction{}.code;
        for (std::size_t a = 0; a < 3; ++a) {
            if (offset[a] != 0) all = all && connected_[2 * a + (offset[a] > 0 ? 1 : 0)];
        }
        return all;
    }
    bool needed(int code, const Cells3& cell) const {
        const auto offset = Direction{code}.offset();
        const Index extent[3] = {n_[0], n_[1], n_[2]};
        const int step[3] = {offset[0], offset[1], offset[2]};
        const Box box = layers_towards({code}, {n_[0], n_[1], n_[2]}, layers_);
        for (std::size_t a = 0; a < 3; ++a) {
            if (cell[a] < box.lo[a] || cell[a] >= box.hi[a]) return false;
        }
        return needed_towards(step, extent, layers_, cell[0], cell[1], cell[2]);
    }
    /// By the definition; cells whose neighbours are unknown become so.
    Cube<T> swept(Cube<T>& from) {
        Cube<T> next = from;
        from.each(layers_ - 1, [&](int x, int y, int z) {
            if (!exists({x, y, z})) return;
            const auto value = [&](int axis, int step) {
                Cells3 cell{x, y, z};
                cell[static_cast<std::size_t>(axis)] += step;
                const int i = cell[static_cast<std::size_t>(axis)];
                if (i < 0 && args_.dirichlet[2 * axis]) return args_.face[2 * axis];
                if (i >= args_.n[axis] && args_.dirichlet[2 * axis + 1]) return args_.face[2 * axis + 1];
                return from.at(cell[0], cell[1], cell[2]);
            };
            const T x_sum =
                Rhs ? x_part(args_.cx, value(0, -1), value(0, 1), b_.at(x, y, z)) : x_part(args_.cx, value(0, -1), value(0, 1));
            next.at(x, y, z) = yz_part(args_.cy, args_.cz, x_sum, value(1, -1), value(1, 1), value(2, -1), value(2, 1));
        });
        return next;
    }

    Cells3 n_;
    int layers_;
    std::array<bool, face_count> connected_{};
    Cube<T> u_, b_, out_;
    std::vector<Cube<T>> there_;
    TemporalArgs<T> args_{};
    LayerTargets<T> to_{};
};

enum Shared { across = 1, up = 2 };

template <class T, int N, int Depth, bool Rhs>
void check(const std::array<int, 3>& n, std::initializer_list<unsigned> masks, int layers, int shared) {
    for (const unsigned mask : masks) {
        const std::string where =
            std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]) + ", mask " + std::to_string(mask);
        Pass<T, N, Depth, 4, Rhs> pass(n, mask, layers);
        pass.run();
        EXPECT_EQ(pass.wrong(), 0) << where;
        EXPECT_EQ(pass.shared_across > 0, (shared & across) != 0) << where;
        EXPECT_EQ(pass.shared_up > 0, (shared & up) != 0) << where;
    }
}

// Windows of 64 x 16 cells (128 x 16 with four cells a lane). Half a window's height is enough for two sweeps.
TEST(TemporalMarch, PartsAlongXAtEveryKindOfFace) {
    check<double, 2, 3, false>({70, 20, 3}, {0, 1, 2, 3}, 3, across);
    check<float, 4, 3, true>({131, 17, 4}, {0, 2, 49}, 4, across);
    check<float, 2, 1, false>({66, 20, 3}, {0, 1, 50}, 1, across);
}

TEST(TemporalMarch, PartsAlongYBetweenWholeWindows) {
    check<double, 2, 2, true>({176, 30, 3}, {48, 8}, 2, up);
    check<float, 2, 2, false>({112, 28, 4}, {4, 8, 60}, 3, up);
}

TEST(TemporalMarch, PartsAlongBothAndNeighboursEverywhere) {
    check<double, 2, 2, false>({124, 28, 5}, {15, 63}, 2, across | up);
    check<float, 2, 3, true>({9, 14, 6}, {63}, 3, across);
}

}  // namespace
}  // namespace jacobi::cuda
