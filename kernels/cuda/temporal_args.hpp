// What a pass of several sweeps reads and where it stores.
#pragma once

#include <cstdint>

#include "temporal_plan.hpp"

namespace jacobi::cuda {

template <class T>
struct TemporalArgs {
    const T* u;  ///< generation g, cell (0, 0, 0)
    T* out;      ///< generation g + 1
    Index pitch, plane;
    std::ptrdiff_t to_rhs;  ///< bytes from cell (0, 0, 2) of u to (0, 0, 0) of the right-hand side over diag: see rhs_at
    T cx, cy, cz;
    int n[3];      ///< extent of the block
    int reach[3];  ///< layers of cells that exist beyond the + face of each axis; 0 beyond a Dirichlet face
    bool dirichlet[face_count];
    T face[face_count];     ///< values of the Dirichlet faces
    unsigned arriving = 1;  ///< lanes of a warp that arrive at the barrier (SplitBarrier): one, or all

    /// `b`: cell (0, 0, 0) of the right-hand side, which has the layout of u, halo included. Set u and plane before. A thread
    /// loads b two planes behind u, so one pointer, which costs two registers, serves both.
    void rhs_at(const T* b) {
        to_rhs =
            static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(b) - reinterpret_cast<std::uintptr_t>(u + 2 * plane));
    }
};

/// HaloTarget of every direction with its parity resolved; null: no neighbour.
template <class T>
struct LayerTargets {
    T* origin[Direction::count];
    Index pitch[Direction::count];
    Index plane[Direction::count];
    int depth;  ///< layers
    // Of faces 0 to 3: bytes from a cell of this rank's field to where it is stored, the same for all cells where strides are
    // the same; 1 where they are not, or vectors would not be aligned.
    long long shift[4];
};

/// The thread blocks of a launch that read halos and have cells that neighbours need: so many, behind `lead` others. Their
/// segments come first all the same.
struct TouchingBlocks {
    unsigned lead, count;
};

}  // namespace jacobi::cuda
