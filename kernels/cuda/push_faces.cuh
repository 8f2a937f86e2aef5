// Stores cells of the outermost layer into the neighbours' halos, by the threads that have just computed them.
#pragma once

#include "backend.hpp"
#include "pack.cuh"

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

/// Stores the updated cells x, ..., x + valid - 1 of row (y, z), valid > 0, into the neighbours across y and z faces whose halo
/// mirrors them. A loop over the faces that are touched, mostly none: a test for each, with its address, would cost a marching
/// kernel registers, and so occupancy.
template <class T>
__device__ inline void push_rows(const PushTargets<T>& to, int x, int y, int z, const Pack<T>& value, int valid) {
    unsigned faces = (y == 0 ? 4u : 0u) | (y == to.last[1] ? 8u : 0u) | (z == 0 ? 16u : 0u) | (z == to.last[2] ? 32u : 0u);
    for (faces &= to.connected; faces != 0; faces &= faces - 1) {
        const int f = __ffs(static_cast<int>(faces)) - 1;
        store_cells(to.origin[f] + x + y * to.pitch[f] + z * to.plane[f], value, valid);
    }
}

/// The same across x faces, for a thread that updates pack x of some rows from y on, and marches up from plane z: where its first
/// or last cell goes, if it has one of these.
template <class T>
class RowEnds {
 public:
    __device__ RowEnds(const PushTargets<T>& to, int x, int y, int z, int valid) : to_(to) {
        if ((to.connected & 1u) != 0 && x == 0) first_ = to.origin[0] + y * to.pitch[0] + z * to.plane[0];
        if ((to.connected & 2u) != 0 && valid > 0 && valid <= pack_cells<T>) {
            last_ = to.origin[1] + to.last[0] + y * to.pitch[1] + z * to.plane[1];
            place_ = valid - 1;
        }
    }
    /// The pack of row y + j.
    __device__ void store(int j, const Pack<T>& value) const {
        if (first_ != nullptr) first_[j * to_.pitch[0]] = value.v[0];
        if (last_ == nullptr) return;
        T cell = value.v[0];
#pragma unroll
        for (int i = 1; i < pack_cells<T>; ++i) cell = i == place_ ? value.v[i] : cell;
        last_[j * to_.pitch[1]] = cell;
    }
    __device__ void next_plane() {
        if (first_ != nullptr) first_ += to_.plane[0];
        if (last_ != nullptr) last_ += to_.plane[1];
    }

 private:
    const PushTargets<T>& to_;
    T *first_ = nullptr, *last_ = nullptr;
    int place_ = 0;
};

}  // namespace jacobi::cuda
