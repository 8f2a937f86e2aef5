// Several sweeps in one pass of the host kernels, bit for bit against as many plain ones cell by cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "geometry.hpp"
#include "host_kernels_testing.hpp"

namespace jacobi {
namespace {

using test::available;
using test::Field;
using test::for_cells;
using test::text;

/// Faces of a block beyond which lie Dirichlet values; `depth` layers of halo are beyond the others.
using Fixed = std::array<bool, face_count>;
Fixed fixed_faces(int bits) {
    Fixed fixed{};
    for (int f = 0; f < face_count; ++f) fixed[f] = (bits >> f & 1) != 0;
    return fixed;
}

template <class T>
class Scratch {
 public:
    explicit Scratch(std::int64_t size) : bytes(size), data(::operator new (bytes, std::align_val_t{64})) {
        // Values of no use must not be used: were one, a comparison would fail.
        std::fill_n(static_cast<T*>(data), bytes / sizeof(T), T(1e30f));
    }
    ~Scratch() { ::operator delete (data, std::align_val_t{64}); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::int64_t bytes;
    void* const data;
};

/// Random values in a block and its halo, `halo` layers deep at connected faces; what several sweeps make of them.
template <class T>
class DeepBlock {
 public:
    DeepBlock(const Index3& extent, int halo, const Fixed& fixed, bool rhs, T scale = 1)
        : layout_(extent, halo, sizeof(T)),
          fixed_(fixed),
          rhs_(rhs),
          u_(layout_),
          b_(layout_),
          out_(layout_),
          now_(layout_),
          next_(layout_) {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<T> draw(-1, 1);
        for (T& value : u_) value = draw(random) * scale;
        for (T& value : b_) value = draw(random) * scale;
        for_cells(grown(halo, true), [&](Index x, Index y, Index z) {
            for (int f = 0; f < face_count; ++f) {
                if (fixed[f] && beyond(f, {x, y, z})) u_.at(x, y, z) = T(0.25) * static_cast<T>(f + 1);
            }
        });
    }

    host::Range limits() const { return grown(layout_.halo, false); }

    /// Fills `expected` with what all of `out` must be after `depth` sweeps of a range.
    void expect(const host::Range& range, int depth, std::vector<T>& expected) {
        std::copy(u_.begin(), u_.end(), now_.begin());
        std::copy(u_.begin(), u_.end(), next_.begin());
        for (int level = 1; level <= depth; ++level) {
            for_cells(cut(range, depth - level), [&](Index x, Index y, Index z) { next_.at(x, y, z) = updated(x, y, z); });
            std::copy(next_.begin(), next_.end(), now_.begin());
        }
        std::fill(expected.begin(), expected.end(), untouched);
        for_cells(range, [&](Index x, Index y, Index z) { expected[&now_.at(x, y, z) - now_.begin()] = now_.at(x, y, z); });
    }

    /// Sweeps a range at every depth that the halo allows on every instruction set.
    void check(const host::Range& range, std::int64_t scratch_bytes, const std::vector<int>& depths, bool shared = false) {
        const Scratch<T> scratch(scratch_bytes);
        std::vector<T> expected(out_.size());
        for (const int depth : depths) {
            expect(range, depth, expected);
            for (const auto* isa : available<T>()) {
                for (const bool stream : {false, true}) {
                    std::fill(out_.begin(), out_.end(), untouched);
                    const host::SweepArgs<T> args{
                        u_.origin(), out_.origin(), rhs_ ? b_.origin() : nullptr, layout_.pitch, layout_.plane, cx, cy, cz, T(1)};
                    isa->sweeps(args, range, {depth, limits(), scratch.data, scratch.bytes, shared}, stream);
                    ASSERT_EQ(std::memcmp(out_.begin(), expected.data(), expected.size() * sizeof(T)), 0)
                        << text(isa->name, range) << " depth " << depth << (stream ? " streaming" : "") << (rhs_ ? " rhs" : "")
                        << " fixed" << faces();
                }
            }
        }
    }
    void check(const std::vector<int>& depths, std::int64_t scratch_bytes = host::TemporalPass::least_scratch,
               bool shared = false) {
        check(grown(0, false), scratch_bytes, depths, shared);
    }

 private:
    static constexpr T untouched = T(-1234.5);
    const T cx = T(0.21), cy = T(0.13), cz = T(0.16);

    /// The block with `layers` more at its connected faces, and where `all`, at its fixed ones.
    host::Range grown(int layers, bool all) const {
        host::Range range{{0, 0, 0}, {layout_.extent[0], layout_.extent[1], layout_.extent[2]}};
        for (int a = 0; a < 3; ++a) {
            if (all || !fixed_[2 * a]) range.lo[a] -= layers;
            if (all || !fixed_[2 * a + 1]) range.hi[a] += layers;
        }
        return range;
    }
    host::Range cut(host::Range range, Index layers) const {
        for (int a = 0; a < 3; ++a) {
            range.lo[a] = std::max<Index>(range.lo[a] - layers, limits().lo[a]);
            range.hi[a] = std::min<Index>(range.hi[a] + layers, limits().hi[a]);
        }
        return range;
    }
    bool beyond(int face, const Index3& cell) const {
        return face % 2 == 0 ? cell[face / 2] < 0 : cell[face / 2] >= layout_.extent[face / 2];
    }
    T updated(Index x, Index y, Index z) const {
        const T xm = now_.at(x - 1, y, z), xp = now_.at(x + 1, y, z);
        const T inner = rhs_ ? x_part(cx, xm, xp, b_.at(x, y, z)) : x_part(cx, xm, xp);
        return yz_part(cy, cz, inner, now_.at(x, y - 1, z), now_.at(x, y + 1, z), now_.at(x, y, z - 1), now_.at(x, y, z + 1));
    }
    std::string faces() const {
        std::string result;
        for (int f = 0; f < face_count; ++f) {
            if (fixed_[f]) result += std::string(" ") + face_names[f];
        }
        return result;
    }

    FieldLayout layout_;
    Fixed fixed_;
    bool rhs_;
    Field<T> u_, b_, out_, now_, next_;
};

constexpr int all_fixed = 63;

template <class T>
class Temporal : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Temporal, Precisions);

TYPED_TEST(Temporal, AnyFacesFixedOrConnected) {
    for (int bits = 0; bits <= all_fixed; ++bits) {
        for (const bool rhs : {false, true}) DeepBlock<TypeParam>({19, 7, 9}, 4, fixed_faces(bits), rhs).check({1, 2, 3, 4});
    }
}

TYPED_TEST(Temporal, EveryDepth) {
    for (const int bits : {0, all_fixed, 0b010110, 0b101001}) {
        for (const bool rhs : {false, true}) {
            DeepBlock<TypeParam>({37, 11, 13}, host::most_sweeps, fixed_faces(bits), rhs).check({1, 2, 3, 4, 5, 6, 7, 8});
        }
    }
}

TYPED_TEST(Temporal, OddAndTinyExtents) {
    for (const int bits : {0, all_fixed, 0b011001}) {
        for (const Index nx : {1, 2, 5, 7, 8, 9, 15, 16, 17, 33}) {
            DeepBlock<TypeParam>({nx, 3, 2}, 3, fixed_faces(bits), true).check({2, 3});
            DeepBlock<TypeParam>({nx, 1, 5}, 6, fixed_faces(bits), false).check({4, 6});
        }
        for (const int depth : {2, 3, 4, 5, 6}) {  // blocks of just the depth
            DeepBlock<TypeParam>({depth, depth, depth}, depth, fixed_faces(bits), true).check({depth});
        }
        DeepBlock<TypeParam>({1, 1, 1}, 6, fixed_faces(bits), true).check({6});
    }
}

TYPED_TEST(Temporal, PartsOfABlock) {
    DeepBlock<TypeParam> block({45, 9, 8}, 3, fixed_faces(0b100110), true);
    for (const host::Range& range : test::ranges({45, 9, 8})) block.check(range, host::TemporalPass::least_scratch, {1, 2, 3});
}

/// Rows and planes larger than a tile, cut along x and y, at other places for each size of the scratch.
TYPED_TEST(Temporal, ManyTiles) {
    const Index wide = static_cast<Index>(16000 / sizeof(TypeParam)) + 3;
    for (const int bits : {0, all_fixed}) {
        DeepBlock<TypeParam>({wide, 9, 4}, 4, fixed_faces(bits), true).check({2, 4});
        DeepBlock<TypeParam>({131, 150, 5}, 4, fixed_faces(bits), false).check({2, 4}, 300 * 1024);
        DeepBlock<TypeParam>({777, 5, 5}, host::most_sweeps, fixed_faces(bits), true).check({host::most_sweeps});
        DeepBlock<TypeParam>({259, 40, 5}, 4, fixed_faces(bits), true).check({4}, 512 * 1024);
        DeepBlock<TypeParam>({1003, 40, 3}, 6, fixed_faces(bits), false).check({3, 6}, 512 * 1024);
    }
}

/// Rows that a tile takes whole but does in pieces, more levels than are done together among the depths.
TYPED_TEST(Temporal, RowsInPieces) {
    for (const Index bytes : {2304, 2312, 4096, 5000, 9000}) {
        const Index nx = bytes / static_cast<Index>(sizeof(TypeParam));
        for (const int bits : {0, all_fixed}) {
            for (const bool shared : {false, true}) {
                DeepBlock<TypeParam>({nx, 9, 7}, 5, fixed_faces(bits), bits == 0).check({2, 3, 4, 5}, 2 * 1024 * 1024, shared);
            }
        }
    }
}

TYPED_TEST(Temporal, Denormals) {
    const TypeParam scale = sizeof(TypeParam) == 8 ? TypeParam(1e-307) : TypeParam(1e-37f);
    DeepBlock<TypeParam>({37, 5, 6}, 3, fixed_faces(0), true, scale).check({2, 3});
}

}  // namespace
}  // namespace jacobi
