// Digest of a field: a 64-bit sum over cells that does not depend on how the cells are distributed.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "problem.hpp"

namespace jacobi {

/// The bits of a value as the digest sees them: float zero-extended, every NaN as one canonical NaN.
JACOBI_HD inline std::uint64_t digest_bits(double value) {
    if (value != value) return 0x7ff8000000000000u;
    std::uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
JACOBI_HD inline std::uint64_t digest_bits(float value) {
    if (value != value) return 0x7fc00000u;
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// One cell's term; the digest is the sum of all terms modulo 2^64. `cell` is Grid::linear.
template <class T>
JACOBI_HD inline std::uint64_t digest_term(Index cell, T value) {
    return mix64(mix64(static_cast<std::uint64_t>(cell) + 0x9e3779b97f4a7c15u) ^ digest_bits(value));
}

}  // namespace jacobi
