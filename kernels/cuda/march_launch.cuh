// What passes of one sweep launch; the kernels themselves are in march.cuh, which only march.cu compiles.
#pragma once

#include "flags.cuh"
#include "march_plan.hpp"
#include "push_faces.cuh"
#include "sweep.cuh"

namespace jacobi::cuda {

/// The kernels of one shape of thread blocks: `warps` warps, tiles of `height` rows, `ahead` planes loaded at a time. No two have
/// all three in common: plans name them so.
template <class T>
struct MarchKernels {
    void (*others)(SweepArgs<T>, MarchShape, MarchTile) = nullptr;
    void (*touching)(SweepArgs<T>, MarchShape, TouchingTiles, PushTargets<T>, FlagArgs) = nullptr;
    void (*in_order)(SweepArgs<T>, MarchShape, TouchingTiles, PushTargets<T>, FlagArgs, Generation, bool, MarchTile) = nullptr;
    int warps = 0, height = 0, ahead = 0;
};

}  // namespace jacobi::cuda
