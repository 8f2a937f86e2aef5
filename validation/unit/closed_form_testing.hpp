// What the tests of the closed forms share: small problems, and the check of a whole field on any number of ranks, each of which
// hands in its own slab.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "closed_form.hpp"

namespace jacobi::closed_form_testing {

/// All ranks, with MPI started on first use: the other tests of this program do without.
inline MPI_Comm world() {
    int started = 0;
    MPI_Initialized(&started);
    if (!started) {
        MPI_Init(nullptr, nullptr);
        std::atexit([] { MPI_Finalize(); });
    }
    return MPI_COMM_WORLD;
}

inline std::vector<Box> slabs(const Grid& grid, int ranks) {
    std::vector<Box> blocks;
    const Index nz = grid.cells[2];
    for (int rank = 0; rank < ranks; ++rank)
        blocks.push_back({{0, 0, nz * rank / ranks}, {grid.cells[0], grid.cells[1], nz * (rank + 1) / ranks}});
    return blocks;
}

template <class T>
ClosedFormCheck check(const Problem& problem, const std::vector<T>& values, Index iteration) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(world(), &rank);
    MPI_Comm_size(world(), &ranks);
    const auto blocks = slabs(problem.grid, ranks);
    const Index plane = problem.grid.cells[0] * problem.grid.cells[1];
    const T* mine = values.data() + plane * blocks[rank].lo[2];
    const ReadPlanes read = [&](Index z0, Index z1, void* destination) {
        std::memcpy(destination, mine + plane * z0, static_cast<std::size_t>(plane * (z1 - z0)) * sizeof(T));
    };
    const Precision precision = sizeof(T) == 8 ? Precision::float64 : Precision::float32;
    return verify_closed_form(world(), problem, precision, iteration, blocks[rank], read,
                              closed_form_samples(problem.grid, blocks));
}

inline Problem make(ProblemKind kind, const Index3& cells, int mix = 0, const Index3& mode = {1, 1, 1}) {
    Problem problem;
    problem.kind = kind;
    problem.grid = {cells, {1.0, 1.7, 0.6}, {(mix & 1) != 0, (mix & 2) != 0, (mix & 4) != 0}};
    problem.mode = mode;
    if (kind == ProblemKind::laplace) {
        problem.faces = {0.5, -1, 0.25, 0.75, 0, 1};
        for (int axis = 0; axis < 3; ++axis) {
            if (problem.grid.periodic[axis]) problem.faces[2 * axis] = problem.faces[2 * axis + 1] = 0;
        }
    }
    return problem;
}

inline constexpr std::array closed_kinds{ProblemKind::laplace, ProblemKind::poisson, ProblemKind::eigenmode};

}  // namespace jacobi::closed_form_testing
