// Stores cells of the outermost layer into the neighbours' halos, by the threads that have just computed them.
#pragma once

#include "backend.hpp"
#include "cells.cuh"

namespace jacobi::cuda {

/// The neighbours' halos for one generation: HaloTargets of the faces with their parity resolved.
template <class T>
struct PushTargets {
    T* origin[face_count];
    Index pitch[face_count];
    Index plane[face_count];
    int last[3];         ///< extent - 1 per axis: the layer of the + faces
    unsigned connected;  ///< faces with a neighbour, a bit each; only their entries count
};

/// Of the updated pack x of row (y, z), `valid` > 0 of whose cells (or more than a pack) are the block's: stores those into the
/// neighbours across y and z faces whose halo mirrors them. A loop over the faces that are touched, mostly none: a test for each,
/// with its address, would cost a marching kernel registers, and so occupancy.
template <class T>
__device__ inline void push_rows(const PushTargets<T>& to, int x, int y, int z, const Pack<T>& value, int valid) {
    unsigned faces = (y == 0 ? 4u : 0u) | (y == to.last[1] ? 8u : 0u) | (z == 0 ? 16u : 0u) | (z == to.last[2] ? 32u : 0u);
    for (faces &= to.connected; faces != 0; faces &= faces - 1) {
        const int f = __ffs(static_cast<int>(faces)) - 1;
        store_cells(to.origin[f] + x + y * to.pitch[f] + z * to.plane[f], value, valid);
    }
}

/// The same across x faces: the first or the last of those cells, or none.
template <class T>
__device__ inline void push_ends(const PushTargets<T>& to, int x, int y, int z, const Pack<T>& value, int valid) {
    if ((to.connected & 1u) != 0 && x == 0) to.origin[0][y * to.pitch[0] + z * to.plane[0]] = value.v[0];
    if ((to.connected & 2u) != 0 && valid <= pack_cells<T>) {
        T last = value.v[0];
#pragma unroll
        for (int i = 1; i < pack_cells<T>; ++i) last = valid > i ? value.v[i] : last;
        to.origin[1][to.last[0] + y * to.pitch[1] + z * to.plane[1]] = last;
    }
}

}  // namespace jacobi::cuda
