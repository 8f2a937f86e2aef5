// The device code of passes of one sweep, run by host threads: it must store the bits of a plain sweep, in the block and in what
// neighbours get, wherever cells beyond x faces lie, and nothing else. What it may not use is NaN.
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <random>
#include <string>

#include "device_on_host.hpp"
// After the device language.
#include "cuda/march_tile.cuh"

namespace jacobi::cuda {
namespace {

/// A field as FieldLayout has it, every element the same at first: ends of rows and alignment too.
template <class T>
struct Field {
    FieldLayout layout;
    struct alignas(row_alignment) Line {
        T cells[row_alignment / sizeof(T)];
    };
    std::vector<Line> memory;

    Field() = default;
    Field(const Index3& n, XFaces x_faces, T value) : layout(n, 1, sizeof(T), x_faces), memory(layout.bytes / row_alignment) {
        for (Line& line : memory) std::fill(std::begin(line.cells), std::end(line.cells), value);
    }
    T* data() { return memory.front().cells; }
    T& at(const Index3& cell) { return data()[layout.at(cell[0], cell[1], cell[2])]; }
    T* first() { return &at({0, 0, 0}); }
    /// Where the cell beyond face f lies; `place`: along the other axes.
    T& beyond(int f, Index3 place) {
        const auto a = static_cast<std::size_t>(f / 2);
        place[a] = f % 2 == 0 ? -1 : layout.extent[a];
        if (a > 0) return at(place);
        const XHalo halo = layout.x_halo(f);
        return data()[halo.first + halo.pitch * place[1] + halo.plane * place[2]];
    }
    int different(const Field& other) const {
        int count = 0;
        for (std::size_t i = 0; i < memory.size(); ++i) {
            for (std::size_t j = 0; j < std::size(memory[i].cells); ++j)
                count += std::memcmp(&memory[i].cells[j], &other.memory[i].cells[j], sizeof(T)) != 0;
        }
        return count;
    }
};

template <class Visit>
void each(const Index3& n, Visit&& visit) {
    for (Index z = 0; z < n[2]; ++z) {
        for (Index y = 0; y < n[1]; ++y) {
            for (Index x = 0; x < n[0]; ++x) visit(Index3{x, y, z});
        }
    }
}

template <class T>
T noise(const Index3& c) {
    std::uint64_t h = static_cast<std::uint64_t>(c[0] + 1000 * c[1] + 1000000 * c[2] + 100100100) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
    return static_cast<T>(static_cast<double>(h >> 11) * 0x1p-52 - 1);
}

struct Case {
    Index3 n;
    unsigned connected;  ///< faces with a neighbour, a bit each
    XFaces x_faces;
    bool pushes;
    int chunk;
    Index more;  ///< cells that a neighbour has more than this block, across the face: other strides

    std::string text() const {
        const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
        return number(n[0]) + " x " + number(n[1]) + " x " + number(n[2]) + ", connected " + number(connected) + ", x faces " +
               number(x_faces) + ", pushes " + number(pushes) + ", chunk " + number(chunk) + ", neighbours + " + number(more);
    }
};

/// One pass on a block.
template <class T, bool Rhs, class Block>
class Pass {
 public:
    explicit Pass(const Case& c)
        : case_(c), u_(c.n, c.x_faces, unknown), b_(c.n, c.x_faces, unknown), out_(c.n, c.x_faces, unset) {
        each(c.n, [&](const Index3& cell) {
            u_.at(cell) = value(cell);
            b_.at(cell) = rhs(cell);
        });
        for (int f = 0; f < face_count; ++f) {
            const auto a = static_cast<std::size_t>(f / 2);
            Index3 layer = c.n;
            layer[a] = 1;
            each(layer, [&](Index3 cell) {
                cell[a] = f % 2 == 0 ? -1 : c.n[a];
                (connected(f) ? u_.beyond(f, cell) : u_.at(cell)) = value(cell);
            });
            Index3 extent = c.n;
            extent[a] += c.more;
            if (connected(f)) there_[static_cast<std::size_t>(f)] = Field<T>(extent, c.x_faces, unset);
        }
        fill_args();
        fill_targets();
    }

    /// By each thread of a block, which does all tiles one after the other.
    void run() {
        const auto n = [&](std::size_t a) { return static_cast<int>(case_.n[a]); };
        const MarchShape shape = march_shape({n(0), n(1), n(2)}, march_width<T>, Block::height, case_.chunk, 1);
        each({shape.tiles[0], shape.tiles[1], shape.tiles[2]}, [&](const Index3& place) {
            const MarchTile tile{static_cast<int>(place[0]), static_cast<int>(place[1]), static_cast<int>(place[2])};
            case_.pushes ? march_tile<T, Rhs, Block, true>(args_, shape, tile, to_)
                         : march_tile<T, Rhs, Block, false>(args_, shape, tile, PushTargets<T>{});
        });
    }

    /// How many elements of memory, the block's and the neighbours', are not what they should be.
    int wrong() {
        Field<T> expected(case_.n, case_.x_faces, unset);
        each(case_.n, [&](const Index3& cell) { expected.at(cell) = swept(cell); });
        int count = out_.different(expected);
        for (int f = 0; f < face_count; ++f) {
            if (!connected(f)) continue;
            const auto a = static_cast<std::size_t>(f / 2);
            Field<T>& there = there_[static_cast<std::size_t>(f)];
            Field<T> halo(there.layout.extent, case_.x_faces, unset);
            if (case_.pushes) {
                each(case_.n, [&](const Index3& cell) {
                    if (cell[a] == (f % 2 == 0 ? 0 : case_.n[a] - 1)) halo.beyond(f ^ 1, cell) = expected.at(cell);
                });
            }
            count += there.different(halo);
        }
        return count;
    }

 private:
    static constexpr T unknown = std::numeric_limits<T>::quiet_NaN(), unset = 777;

    bool connected(int f) const { return (case_.connected >> f & 1u) != 0; }
    static T rhs(const Index3& cell) { return noise<T>({cell[0], cell[1] + 100, cell[2]}); }
    /// Of a cell of the block or beyond one of its faces.
    T value(const Index3& cell) const {
        for (int f = 0; f < face_count; ++f) {
            const auto a = static_cast<std::size_t>(f / 2);
            if (!connected(f) && (f % 2 == 0 ? cell[a] < 0 : cell[a] >= case_.n[a])) return static_cast<T>(0.25 * f - 1);
        }
        return noise<T>(cell);
    }
    /// By the definition.
    T swept(const Index3& cell) const {
        const auto next = [&](std::size_t a, Index step) {
            Index3 there = cell;
            there[a] += step;
            return value(there);
        };
        const T x_sum = Rhs ? x_part(args_.cx, next(0, -1), next(0, 1), rhs(cell)) : x_part(args_.cx, next(0, -1), next(0, 1));
        return yz_part(args_.cy, args_.cz, x_sum, next(1, -1), next(1, 1), next(2, -1), next(2, 1));
    }
    /// As CudaBackend::args.
    void fill_args() {
        const FieldLayout& layout = u_.layout;
        const T* b = Rhs ? b_.first() : nullptr;
        args_ = {u_.first(), out_.first(), b, layout.pitch, layout.plane, T(0.21), T(0.17), T(0.12), T(0.5), {}};
        for (int f = 0; f < 2; ++f) {
            XHalo halo = layout.x_halo(f);
            if (!connected(f)) halo = {layout.at(f == 0 ? -1 : case_.n[0], 0, 0), 0, 0};
            args_.beyond_x[f] = {u_.data() + halo.first, halo.pitch, halo.plane};
        }
        args_.beyond_x[2] = {nullptr, layout.pitch, layout.plane};
    }
    /// As HaloExchange and CudaBackend::push_targets.
    void fill_targets() {
        to_.connected = case_.connected;
        for (std::size_t a = 0; a < 3; ++a) to_.last[a] = static_cast<int>(case_.n[a] - 1);
        for (int f = 0; f < face_count; ++f) {
            if (!connected(f)) continue;
            Field<T>& there = there_[static_cast<std::size_t>(f)];
            const XHalo halo = f < 2 ? there.layout.x_halo(f ^ 1) : XHalo{0, there.layout.pitch, there.layout.plane};
            to_.pitch[f] = halo.pitch;
            to_.plane[f] = halo.plane;
            T* const to = &there.beyond(f ^ 1, {0, 0, 0});
            const Index strides[3] = {1, halo.pitch, halo.plane};
            to_.origin[f] = to - (f % 2 == 0 ? 0 : to_.last[f / 2] * strides[f / 2]);
        }
    }

    Case case_;
    Field<T> u_, b_, out_;
    std::array<Field<T>, face_count> there_;  ///< the neighbours
    SweepArgs<T> args_{};
    PushTargets<T> to_{};
};

/// Every width of a block with every pair of x faces and both places of what is beyond them; the rest is drawn.
template <class T, bool Rhs, class Block>
void check() {
    constexpr int cells = pack_cells<T>, width = march_width<T>;
    std::minstd_rand draw(1);
    const auto one_of = [&](std::initializer_list<int> values) { return values.begin()[draw() % values.size()]; };
    std::deque<Case> cases;
    std::deque<Pass<T, Rhs, Block>> passes;
    for (const int nx : {1, cells - 1, cells, 2 * cells, 33, width, width + 1, width + cells, width + 2 * cells, 2 * width}) {
        for (unsigned k = 0; k < 4 * 2 * 2; ++k) {
            const XFaces x_faces = k / 4 % 2 == 0 ? XFaces::in_place : XFaces::apart;
            const bool pushes = k < 8;
            const unsigned yz_faces = static_cast<unsigned>(one_of({0, 60, 4, 40, 20, 8, 16}));
            const Case c{{nx, one_of({1, 3, 4, 5, 9}), one_of({1, 3, 5})},
                         k % 4 | yz_faces,
                         x_faces,
                         pushes,
                         one_of({1, 4}),
                         one_of({0, 5})};
            if (!FieldLayout(c.n, 1, sizeof(T), x_faces).whole_packs() && x_faces == XFaces::apart) continue;
            if (!pushes && one_of({0, 1, 2}) != 0) continue;
            cases.push_back(c);
            passes.emplace_back(c);
        }
    }
    run_block(Block::warps, [&](unsigned) {
        for (auto& pass : passes) pass.run();
    });
    for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(passes[i].wrong(), 0) << cases[i].text();
}

using OnePlane = MarchBlock<4, 2, 1, 8>;
using TwoPlanes = MarchBlock<4, 2, 2, 6>;

TEST(MarchTile, OnePlaneAhead) {
    check<double, false, OnePlane>();
    check<double, true, OnePlane>();
    check<float, false, OnePlane>();
    check<float, true, OnePlane>();
}

TEST(MarchTile, TwoPlanesAhead) {
    check<double, false, TwoPlanes>();
    check<double, true, TwoPlanes>();
    check<float, false, TwoPlanes>();
    check<float, true, TwoPlanes>();
}

}  // namespace
}  // namespace jacobi::cuda
