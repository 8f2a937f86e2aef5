// A field to store in snapshots: every cell's value is a hash of its global index, with the values that are easily spoiled among
// them, and each rank holds the box that a random, uneven decomposition gives it.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "digest.hpp"
#include "snapshot.hpp"

namespace jacobi::test {

template <class T>
T sample_value(std::uint64_t seed, Index cell) {
    using Limits = std::numeric_limits<T>;
    const std::uint64_t hash = cell_hash(seed, cell);
    switch (hash % 61) {
        case 0: return Limits::quiet_NaN();
        case 1: return T(-0.0);
        case 2: return -Limits::infinity();
        case 3: return Limits::denorm_min();
        default: return unit_value<T>(hash);
    }
}

/// Ranks per axis: a random factorisation, the same on every rank for the same state of `random`.
inline std::array<int, 3> random_decomposition(std::mt19937& random, int ranks) {
    std::array<int, 3> parts{1, 1, 1};
    for (int a = 0; a < 2; ++a) {
        do {
            parts[a] = 1 + static_cast<int>(random() % static_cast<unsigned>(ranks));
        } while (ranks % parts[a] != 0);
        ranks /= parts[a];
    }
    parts[2] = ranks;
    return parts;
}

inline Box block_of(const Index3& cells, const std::array<int, 3>& parts, int rank) {
    const Index3 at{rank % parts[0], rank / parts[0] % parts[1], rank / parts[0] / parts[1]};
    Box block;
    for (int a = 0; a < 3; ++a) {
        block.lo[a] = cells[a] * at[a] / parts[a];
        block.hi[a] = cells[a] * (at[a] + 1) / parts[a];
    }
    return block;
}

template <class T>
std::vector<T> sample_block(const Grid& grid, const Box& block, std::uint64_t seed) {
    std::vector<T> values;
    for (Index z = block.lo[2]; z < block.hi[2]; ++z)
        for (Index y = block.lo[1]; y < block.hi[1]; ++y)
            for (Index x = block.lo[0]; x < block.hi[0]; ++x) values.push_back(sample_value<T>(seed, grid.linear(x, y, z)));
    return values;
}

template <class T>
std::uint64_t sample_digest(const Grid& grid, std::uint64_t seed) {
    std::uint64_t digest = 0;
    for (Index cell = 0; cell < volume(grid.cells); ++cell) digest += digest_term(cell, sample_value<T>(seed, cell));
    return digest;
}

template <class T>
SnapshotInfo sample_info(const Index3& cells, const std::array<int, 3>& parts, std::uint64_t seed) {
    SnapshotInfo info;
    info.grid.cells = cells;
    info.grid.length = {1.0, 0.7, 1.0 / 3};
    info.grid.periodic = {false, true, false};
    info.precision = sizeof(T) == 8 ? Precision::float64 : Precision::float32;
    info.iteration = static_cast<Index>(seed);
    info.residual_max = 0x1.23456789abcdep-3;
    info.digest = sample_digest<T>(info.grid, seed);
    info.deck = "grid:\n  cells: [1, 2, 3]  # \xc3\xa9\n";
    info.version = "1.2.3";
    info.ranks = parts[0] * parts[1] * parts[2];
    info.decomposition = parts;
    info.transports = "shm";
    return info;
}

/// The callbacks of write_snapshot and read_snapshot for a block that lies in `values` without halos.
template <class T>
ReadPlanes reader_of(const Box& block, const std::vector<T>& values) {
    const Index plane = block.extent()[0] * block.extent()[1];
    return [&values, plane](Index z0, Index z1, void* destination) {
        std::memcpy(destination, values.data() + z0 * plane, static_cast<std::size_t>((z1 - z0) * plane) * sizeof(T));
    };
}
template <class T>
WritePlanes writer_to(const Box& block, std::vector<T>& values) {
    const Index plane = block.extent()[0] * block.extent()[1];
    return [&values, plane](Index z0, Index z1, const void* source) {
        std::memcpy(values.data() + z0 * plane, source, static_cast<std::size_t>((z1 - z0) * plane) * sizeof(T));
    };
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace jacobi::test
