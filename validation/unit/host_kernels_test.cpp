// The host kernels of every instruction set that this processor has, bit for bit against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "error.hpp"
#include "fixed_sum.hpp"
#include "host_kernels_testing.hpp"

namespace jacobi {
namespace {

using test::available;
using test::Block;
using test::Field;
using test::for_cells;
using test::ranges;
using test::text;

template <class T>
class HostKernels : public testing::Test {
 protected:
    /// Sweeps every range of the block in every way; all of `out`, halos and padding included, must be what it should be.
    static void expect_sweeps(const Block<T>& block) {
        const T untouched = T(-1234.5);
        std::vector<T> expected(block.out.size());
        for (const auto* isa : available<T>()) {
            for (const host::Range& range : ranges(block.extent())) {
                for (const bool stream : {false, true}) {
                    std::fill(block.out.begin(), block.out.end(), untouched);
                    std::fill(expected.begin(), expected.end(), untouched);
                    for_cells(range, [&](Index x, Index y, Index z) {
                        expected[&block.out.at(x, y, z) - block.out.begin()] = block.updated(x, y, z);
                    });
                    isa->sweep(block.args(), range, stream);
                    ASSERT_EQ(std::memcmp(block.out.begin(), expected.data(), expected.size() * sizeof(T)), 0)
                        << text(isa->name, range) << (stream ? " streaming" : "");
                }
            }
        }
    }

    static double maximum(const Block<T>& block, const host::Range& range) {
        double largest = 0;
        for_cells(range, [&](Index x, Index y, Index z) {
            const double r = std::abs(block.residual(x, y, z));
            if (!(r <= largest)) largest = std::isnan(largest) ? largest : r;  // a NaN stays
        });
        return largest;
    }
    static double value_of(std::uint64_t bits) {
        if constexpr (sizeof(T) == 8) return std::bit_cast<double>(bits);
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }

    static void expect_residuals(const Block<T>& block) {
        for (const auto* isa : available<T>()) {
            for (const host::Range& range : ranges(block.extent())) {
                const double largest = maximum(block, range);
                ASSERT_EQ(value_of(isa->residual_max_bits(block.args(), range)), largest) << text(isa->name, range);
                if (largest == 0) continue;
                const FixedScale scale = FixedScale::of(largest);
                FixedSum expected{11, 22};
                for_cells(range, [&](Index x, Index y, Index z) {
                    add_square(expected, static_cast<double>(block.residual(x, y, z)), scale.first, scale.second);
                });
                std::uint64_t limbs[2] = {11, 22};  // the sum is added to what is there
                isa->residual_square_sum(block.args(), range, scale.first, scale.second, limbs);
                ASSERT_TRUE(limbs[0] == expected.hi && limbs[1] == expected.lo) << text(isa->name, range);
            }
        }
    }
};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(HostKernels, Precisions);

/// Powers of ten at which values, or the products of an update, are denormal.
template <class T>
constexpr T denormal_scale = sizeof(T) == 8 ? T(1e-307) : T(1e-37f);
template <class T>
constexpr T smallest_scale = sizeof(T) == 8 ? T(1e-321) : T(1e-43f);

TYPED_TEST(HostKernels, SweepAsTheStencilIsDefined) {
    for (const bool rhs : {false, true}) this->expect_sweeps(Block<TypeParam>(1, rhs));
}

TYPED_TEST(HostKernels, SweepDenormals) {
    for (const bool rhs : {false, true}) {
        for (const TypeParam scale : {denormal_scale<TypeParam>, smallest_scale<TypeParam>}) {
            const Block<TypeParam> block(scale, rhs);
            const TypeParam u = block.updated(1, 1, 1);
            ASSERT_LT(std::abs(u), scale * 10);
            this->expect_sweeps(block);
        }
        const Block<TypeParam> block(smallest_scale<TypeParam>, rhs);
        int alive = 0;
        for_cells({{0, 0, 0}, {20, 7, 5}}, [&](Index x, Index y, Index z) { alive += block.updated(x, y, z) != 0; });
        EXPECT_GT(alive, 300);  // else the comparison would also hold for kernels that flush denormals to zero
    }
}

TYPED_TEST(HostKernels, ReduceResidualsAsAPlainLoopDoes) {
    for (const bool rhs : {false, true}) {
        for (const TypeParam scale : {TypeParam(1), TypeParam(1e6), denormal_scale<TypeParam>}) {
            this->expect_residuals(Block<TypeParam>(scale, rhs));
        }
    }
}

TYPED_TEST(HostKernels, LetNanAndInfinityWinTheResidualMaximum) {
    const host::Range all{{0, 0, 0}, {53, 7, 5}};
    for (const auto* isa : available<TypeParam>()) {
        for (const Index x : {Index{0}, Index{1}, Index{8}, Index{30}, Index{52}}) {
            Block<TypeParam> block(1, false);
            block.u.at(x, 3, 2) = std::numeric_limits<TypeParam>::infinity();
            EXPECT_EQ(this->value_of(isa->residual_max_bits(block.args(), all)), std::numeric_limits<double>::infinity())
                << isa->name;
            block.u.at(x, 3, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
            EXPECT_TRUE(std::isnan(this->value_of(isa->residual_max_bits(block.args(), all)))) << isa->name << " at " << x;
        }
    }
}

TYPED_TEST(HostKernels, SweepWideRowsInTiles) {
    // Planes larger than a tile's share of the cache, so that the y loop is cut.
    const Block<TypeParam> block(1, true, {static_cast<Index>(24000 / sizeof(TypeParam)), 19, 3});
    const host::Range all{{0, 0, 0}, {block.extent()[0], block.extent()[1], block.extent()[2]}};
    for (const auto* isa : available<TypeParam>()) {
        std::fill(block.out.begin(), block.out.end(), TypeParam(0));
        isa->sweep(block.args(), all, true);
        long different = 0;
        for_cells(all, [&](Index x, Index y, Index z) { different += block.out.at(x, y, z) != block.updated(x, y, z); });
        EXPECT_EQ(different, 0) << isa->name;
    }
}

TYPED_TEST(HostKernels, CopyAllBytesAndNoMore) {
    const FieldLayout layout({100, 3, 2}, 1, sizeof(TypeParam));
    for (const auto* isa : available<TypeParam>()) {
        for (std::size_t bytes = 0; bytes <= 1024; bytes += 64) {
            const Field<TypeParam> from(layout), to(layout);
            for (std::size_t i = 0; i < from.size(); ++i) from.begin()[i] = static_cast<TypeParam>(i + 1);
            std::memset(to.begin(), 0, layout.bytes);
            isa->copy(to.begin(), from.begin(), bytes);
            EXPECT_EQ(std::memcmp(to.begin(), from.begin(), bytes), 0) << isa->name << ", " << bytes << " bytes";
            for (std::size_t i = bytes / sizeof(TypeParam); i < to.size(); ++i) ASSERT_EQ(to.begin()[i], 0) << isa->name;
        }
    }
}

TEST(HostIsa, IsTheBestOneUnlessALesserOneIsAskedFor) {
    const char* before = std::getenv("JACOBI_ISA");
    const std::string restored = before != nullptr ? before : "";
    unsetenv("JACOBI_ISA");
    EXPECT_STREQ(host::select_kernels<double>().name, available<double>().back()->name);
    setenv("JACOBI_ISA", "portable", 1);
    EXPECT_STREQ(host::select_kernels<double>().name, "portable");
    EXPECT_STREQ(host::select_kernels<float>().name, "portable");
    for (const auto* isa : available<float>()) {
        if (std::string(isa->name) != "AVX2") continue;
        setenv("JACOBI_ISA", "avx2", 1);
        EXPECT_STREQ(host::select_kernels<float>().name, "AVX2");
    }
    setenv("JACOBI_ISA", "", 1);
    EXPECT_STREQ(host::select_kernels<double>().name, available<double>().back()->name);
    for (const char* unknown : {"zzz", "AVX2", "portable "}) {
        setenv("JACOBI_ISA", unknown, 1);
        EXPECT_THROW(host::select_kernels<double>(), Error) << unknown;
    }
    before != nullptr ? setenv("JACOBI_ISA", restored.c_str(), 1) : unsetenv("JACOBI_ISA");
}

}  // namespace
}  // namespace jacobi
