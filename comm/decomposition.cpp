#include "decomposition.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "error.hpp"

namespace jacobi {

namespace {

/// Cost of one face cell, in cell updates. On an H200 an update moves 16 bytes at 4.2 TB/s and a face cell 8 bytes at about
/// 370 GB/s over NVLink, a ratio near 6; stores of x faces are one sector a cell and reach a quarter of that.
constexpr double face_cost[3] = {24, 6, 6};

double sweep_cost(const Decomposition& d) {
    Index3 n;
    for (int a = 0; a < 3; ++a) n[a] = d.cells[a] / d.ranks[a] + (d.cells[a] % d.ranks[a] != 0 ? 1 : 0);
    double cost = static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
    for (int a = 0; a < 3; ++a) {
        const double area = static_cast<double>(n[(a + 1) % 3]) * static_cast<double>(n[(a + 2) % 3]);
        if (d.ranks[a] > 1 || d.periodic[a]) cost += 2 * area * face_cost[a];
    }
    return cost;
}

bool fits(const Decomposition& d) {
    for (int a = 0; a < 3; ++a) {
        if (d.ranks[a] > d.cells[a]) return false;
    }
    return true;
}

}  // namespace

Box Decomposition::block(int rank) const {
    const auto c = coordinates(rank);
    Box box;
    for (int a = 0; a < 3; ++a) {
        // The quotient and the remainder apart: cells * rank need not fit 64 bits.
        const Index quotient = cells[a] / ranks[a], remainder = cells[a] % ranks[a];
        const auto start = [&](Index i) { return quotient * i + remainder * i / ranks[a]; };
        box.lo[a] = start(c[a]);
        box.hi[a] = start(c[a] + 1);
    }
    return box;
}

void Decomposition::reorder(std::vector<int> positions) {
    rank_of.assign(positions.size(), 0);
    for (std::size_t r = 0; r < positions.size(); ++r) rank_of[positions[r]] = static_cast<int>(r);
    position_of = std::move(positions);
}

std::optional<int> Decomposition::neighbour(int rank, Direction direction) const {
    auto c = coordinates(rank);
    const auto offset = direction.offset();
    for (int a = 0; a < 3; ++a) {
        c[a] += offset[a];
        if (c[a] >= 0 && c[a] < ranks[a]) continue;
        if (!periodic[a]) return std::nullopt;
        c[a] = (c[a] + ranks[a]) % ranks[a];
    }
    return rank_at(c);
}

Decomposition decompose(const Index3& cells, const std::array<bool, 3>& periodic, int size) {
    Decomposition best{cells, periodic, {0, 0, 0}};
    double least = std::numeric_limits<double>::infinity();
    // z first: of equal costs the one with most ranks along z wins, whose faces are contiguous.
    for (int pz = size; pz >= 1; --pz) {
        if (size % pz != 0) continue;
        for (int py = size / pz; py >= 1; --py) {
            if (size / pz % py != 0) continue;
            const Decomposition d{cells, periodic, {size / pz / py, py, pz}};
            if (!fits(d)) continue;
            if (const double cost = sweep_cost(d); cost < least) {
                least = cost;
                best = d;
            }
        }
    }
    if (best.ranks[0] == 0) {
        throw Error(
            fmt::format("no decomposition of {} x {} x {} cells into {} ranks gives every rank a cell: use fewer ranks, or a "
                        "number of ranks with factors no larger than the axes",
                        cells[0], cells[1], cells[2], size),
            Exit::usage, true);
    }
    return best;
}

Decomposition decompose(const Index3& cells, const std::array<bool, 3>& periodic, int size, const std::array<int, 3>& ranks) {
    const Decomposition d{cells, periodic, ranks};
    if (static_cast<std::int64_t>(ranks[0]) * ranks[1] * ranks[2] != size) {
        throw Error(fmt::format("comm.ranks: [{}, {}, {}] makes {} ranks, but {} were started (mpirun -np)", ranks[0], ranks[1],
                                ranks[2], static_cast<std::int64_t>(ranks[0]) * ranks[1] * ranks[2], size),
                    Exit::usage, true);
    }
    for (int a = 0; a < 3; ++a) {
        if (ranks[a] > cells[a]) {
            throw Error(fmt::format("comm.ranks: {} ranks along {} for {} cells: every rank needs at least one", ranks[a],
                                    axis_names[a], cells[a]),
                        Exit::usage, true);
        }
    }
    return d;
}

}  // namespace jacobi
