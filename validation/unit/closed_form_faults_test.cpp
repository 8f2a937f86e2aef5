// Proof that each closed-form check notices one wrong sweep, face, halo, coefficient or value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "closed_form_testing.hpp"
#include "plain_jacobi.hpp"
#include "reference.hpp"

namespace jacobi {
namespace {

using namespace closed_form_testing;

template <class T>
class ClosedFormFaultsTest : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ClosedFormFaultsTest, Precisions);

TYPED_TEST(ClosedFormFaultsTest, FailsAFieldOfAnotherSweep) {
    for (ProblemKind kind : closed_kinds) {
        for (int mix = 0; mix < 7; ++mix) {
            const Problem problem = make(kind, {13, 8, 9}, mix);
            Reference<TypeParam> reference(problem);
            for (Index k = 1; k <= 30; ++k) {
                EXPECT_EQ(check(problem, reference.values(), k).verdict, Verdict::fail)
                    << "one sweep short of " << k << ", mix " << mix;
                reference.advance(1);
                EXPECT_EQ(check(problem, reference.values(), k - 1).verdict, Verdict::fail)
                    << "one sweep past " << k - 1 << ", mix " << mix;
            }
        }
    }
}

TYPED_TEST(ClosedFormFaultsTest, FailsAWrongFaceValue) {
    const double relative = sizeof(TypeParam) == 8 ? 1e-9 : 1e-2;
    for (ProblemKind kind : closed_kinds) {
        for (int face = 0; face < face_count; ++face) {
            const Problem problem = make(kind, {13, 8, 9});
            Problem wrong = problem;
            wrong.faces[face] += relative;
            Reference<TypeParam> reference(wrong);
            reference.advance(20);
            const auto result = check(problem, reference.values(), 20);
            EXPECT_EQ(result.verdict, Verdict::fail) << face_names[face] << ": " << result.text;
        }
    }
}

/// In sweep `stale`, cells on one side of a cut through z read the other side as it was a sweep before: a halo update missed.
template <class T>
std::vector<T> with_missed_halo(const Problem& problem, Index sweeps, Index stale, Index cut) {
    plain::Field<T> field(problem);
    std::vector<T> before = field.u;
    const auto plane = static_cast<std::size_t>(problem.grid.cells[0] * problem.grid.cells[1]);
    for (Index k = 0; k < sweeps; ++k) {
        auto next = field.next();
        if (k == stale) {
            plain::Field<T> old_halo = field;
            const std::size_t halo = plane * static_cast<std::size_t>(cut);
            std::copy_n(before.begin() + static_cast<Index>(halo), plane, old_halo.u.begin() + static_cast<Index>(halo));
            const auto spoilt = old_halo.next();
            std::copy_n(spoilt.begin() + static_cast<Index>(halo - plane), plane,
                        next.begin() + static_cast<Index>(halo - plane));
        }
        before = field.u;
        field.u = next;
    }
    return field.u;
}

TYPED_TEST(ClosedFormFaultsTest, FailsAMissedHaloUpdate) {
    for (ProblemKind kind : closed_kinds) {
        const Problem problem = make(kind, {13, 8, 9});
        EXPECT_EQ(check(problem, with_missed_halo<TypeParam>(problem, 20, -1, 4), 20).verdict, Verdict::pass);
        for (Index cut : {1, 4, 8}) {
            const auto result = check(problem, with_missed_halo<TypeParam>(problem, 20, 12, cut), 20);
            EXPECT_EQ(result.verdict, Verdict::fail) << "cut at z = " << cut << ": " << result.text;
        }
    }
}

TYPED_TEST(ClosedFormFaultsTest, FailsAWrongCoefficient) {
    const double relative = sizeof(TypeParam) == 8 ? 1e-9 : 1e-2;
    for (ProblemKind kind : closed_kinds) {
        for (int which = 0; which < 3; ++which) {
            const Problem problem = make(kind, {13, 8, 9});
            plain::Field<TypeParam> field(problem);
            TypeParam& c = which == 0 ? field.cx : which == 1 ? field.cy : field.cz;
            c = static_cast<TypeParam>(c * (1 + relative));
            field.advance(20);
            const auto result = check(problem, field.u, 20);
            EXPECT_EQ(result.verdict, Verdict::fail) << "axis " << which << ": " << result.text;
        }
    }
}

TYPED_TEST(ClosedFormFaultsTest, FailsOneWrongOrUndefinedValueAnywhere) {
    for (ProblemKind kind : closed_kinds) {
        const Problem problem = make(kind, {7, 5, 6});
        Reference<TypeParam> reference(problem);
        reference.advance(9);
        const auto good = reference.values();
        for (std::size_t i = 0; i < good.size(); i += 13) {
            for (TypeParam value :
                 {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity(), TypeParam(5)}) {
                auto spoilt = good;
                spoilt[i] = value;
                const auto result = check(problem, spoilt, 9);
                EXPECT_EQ(result.verdict, Verdict::fail) << "cell " << i << ": " << result.text;
            }
            if (kind != ProblemKind::laplace) {  // its series looks at samples
                auto spoilt = good;
                spoilt[i] += static_cast<TypeParam>(1000) * std::numeric_limits<TypeParam>::epsilon();
                EXPECT_EQ(check(problem, spoilt, 9).verdict, Verdict::fail) << "cell " << i;
            }
        }
    }
}

}  // namespace
}  // namespace jacobi
