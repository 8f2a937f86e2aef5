// What passes of one sweep launch; the kernels themselves are in march.cuh, which only march.cu compiles.
#pragma once

#include "flags.cuh"
#include "march_plan.hpp"
#include "push_faces.cuh"
#include "sweep.cuh"

namespace jacobi::cuda {

/// The kernels of one thread block shape, of `warps` warps.
template <class T>
struct MarchKernels {
    void (*others)(SweepArgs<T>, MarchShape, TouchingTiles, int) = nullptr;
    void (*pushing)(SweepArgs<T>, MarchShape, TouchingTiles, PushTargets<T>, FlagArgs, bool, int) = nullptr;
    int warps = 0;
};

}  // namespace jacobi::cuda
