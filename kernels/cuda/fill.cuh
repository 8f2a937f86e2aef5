// Set-up kernels: initial field with its halos, right-hand side, probe pattern.
#pragma once

#include "problem.hpp"
#include "reduce.cuh"

namespace jacobi::cuda {

/// What the fill needs to know of a block, as plain data.
struct FillArgs {
    ProblemView problem;
    Index lo[3];  ///< global cell of (0, 0, 0)
    int extent[3];
    int halo;
    bool periodic[3];
    double faces[face_count];
    Index pitch, plane;
    bool x_apart;     ///< cells beyond x faces with a neighbour lie where x_halo says (FieldLayout::apart)
    XHalo x_halo[2];  ///< from cell (0, 0, 0) on
};

/// Calls body(global, outside, element, local) for the cells and halo cells that fall to this thread. `outside`: a Dirichlet face
/// beyond which the cell lies; -1 in the grid, where `global` is the cell, periodic axes wrapped.
template <class Body>
__device__ inline void for_halo_cells(const FillArgs& a, Body&& body) {
    const int h = a.halo;
    const Index n[3] = {a.problem.nx, a.problem.ny, a.problem.nz};
    for_cells(a.extent[0] + 2 * h, a.extent[1] + 2 * h, a.extent[2] + 2 * h, a.pitch, a.plane,
              [&](int x, int y, int z, Index at) {
                  Index global[3] = {a.lo[0] + x - h, a.lo[1] + y - h, a.lo[2] + z - h};
                  int outside = -1;
                  for (int axis = 0; axis < 3; ++axis) {
                      if (a.periodic[axis]) {
                          global[axis] = (global[axis] % n[axis] + n[axis]) % n[axis];
                      } else if (global[axis] < 0 || global[axis] >= n[axis]) {
                          outside = 2 * axis + (global[axis] < 0 ? 0 : 1);
                      }
                  }
                  const int local[3] = {x - h, y - h, z - h};
                  body(global, outside, at - h - h * a.pitch - h * a.plane, local);
              });
}

/// Generation 0 into u0 and the start state of the other buffer into u1 (Backend::setup), halos included. Both pointers
/// address cell (0, 0, 0). Where cells beyond x faces lie apart, nobody is to read the ends of rows: NaN.
template <class T>
__global__ void fill_kernel(const FillArgs a, T* u0, T* u1, T nan) {
    for_halo_cells(a, [&](const Index(&global)[3], int outside, Index at, const int(&local)[3]) {
        const T value =
            outside >= 0 ? static_cast<T>(a.faces[outside]) : initial_value<T>(a.problem, global[0], global[1], global[2]);
        const bool beyond_x = local[0] < 0 || local[0] >= a.extent[0];
        const bool apart = a.x_apart && beyond_x && outside < 0;
        u0[at] = apart ? nan : value;
        u1[at] = outside >= 0 ? value : nan;
        if (apart && local[1] >= 0 && local[1] < a.extent[1] && local[2] >= 0 && local[2] < a.extent[2]) {
            const XHalo& halo = a.x_halo[local[0] < 0 ? 0 : 1];
            const Index there = halo.first + local[1] * halo.pitch + local[2] * halo.plane;
            u0[there] = value;
            u1[there] = nan;
        }
    });
}

/// In the halo too: passes of several sweeps update the neighbours' cells there.
template <class T>
__global__ void rhs_kernel(const FillArgs a, T* b) {
    for_halo_cells(a, [&](const Index(&global)[3], int outside, Index at, const int(&)[3]) {
        b[at] = outside >= 0 ? 0 : rhs_value<T>(a.problem, global[0], global[1], global[2]);
    });
}

static __global__ void pattern_kernel(std::uint64_t* target, std::uint64_t seed, unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) target[i] = seed + i;
}

}  // namespace jacobi::cuda
