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
};

/// Generation 0 into u0 and the start state of the other buffer into u1 (Backend::setup), halos included. Both pointers
/// address cell (0, 0, 0).
template <class T>
__global__ void fill_kernel(const FillArgs a, T* u0, T* u1, T nan) {
    const int h = a.halo;
    const Index n[3] = {a.problem.nx, a.problem.ny, a.problem.nz};
    for_cells(a.extent[0] + 2 * h, a.extent[1] + 2 * h, a.extent[2] + 2 * h, a.pitch, a.plane,
              [&](int x, int y, int z, Index at) {
                  Index global[3] = {a.lo[0] + x - h, a.lo[1] + y - h, a.lo[2] + z - h};
                  T first = nan, second = nan;
                  bool inside = true;
                  for (int axis = 0; axis < 3; ++axis) {
                      if (a.periodic[axis]) {
                          global[axis] = (global[axis] % n[axis] + n[axis]) % n[axis];
                      } else if (global[axis] < 0 || global[axis] >= n[axis]) {
                          inside = false;
                          first = second = static_cast<T>(a.faces[2 * axis + (global[axis] < 0 ? 0 : 1)]);
                      }
                  }
                  if (inside) first = initial_value<T>(a.problem, global[0], global[1], global[2]);
                  const Index shifted = at - h - h * a.pitch - h * a.plane;
                  u0[shifted] = first;
                  u1[shifted] = second;
              });
}

template <class T>
__global__ void rhs_kernel(const FillArgs a, T* b) {
    for_cells(a.extent[0], a.extent[1], a.extent[2], a.pitch, a.plane,
              [&](int x, int y, int z, Index at) { b[at] = rhs_value<T>(a.problem, a.lo[0] + x, a.lo[1] + y, a.lo[2] + z); });
}

static __global__ void pattern_kernel(std::uint64_t* target, std::uint64_t seed, unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) target[i] = seed + i;
}

}  // namespace jacobi::cuda
