// The instances of the temporal kernel that this back end launches.
#pragma once

#include <vector>

#include "temporal.cuh"
#include "temporal_launch.cuh"

namespace jacobi::cuda {

template <class T, int N, int Depth, int Warps, int Rows>
TemporalShape<T> temporal_shape() {
    using Plain = TemporalTile<T, N, Depth, Warps, Rows, false>;
    using Rhs = TemporalTile<T, N, Depth, Warps, Rows, true>;
    return {Plain::window(),
            Warps,
            Plain::shared,
            temporal_march<T, N, Depth, Warps, Rows, false>,
            temporal_march<T, N, Depth, Warps, Rows, true>,
            Rhs::shared};
}

/// Those of a depth, 1 to most_temporal_depth; where there are several, a measurement at set-up chooses.
template <class T>
std::vector<TemporalShape<T>> temporal_shapes(int depth);

template <>
inline std::vector<TemporalShape<double>> temporal_shapes(int depth) {
    switch (depth) {
        case 1: return {temporal_shape<double, 2, 1, 8, 4>()};
        case 2: return {temporal_shape<double, 2, 2, 8, 4>()};
        case 3: return {temporal_shape<double, 2, 3, 8, 4>()};
        default: return {temporal_shape<double, 2, 4, 8, 4>()};
    }
}
template <>
inline std::vector<TemporalShape<float>> temporal_shapes(int depth) {
    switch (depth) {
        case 1: return {temporal_shape<float, 2, 1, 16, 4>()};
        case 2: return {temporal_shape<float, 2, 2, 16, 4>()};
        case 3: return {temporal_shape<float, 2, 3, 16, 4>()};
        // Wide windows win on large planes, tall ones elsewhere.
        default: return {temporal_shape<float, 2, 4, 16, 4>(), temporal_shape<float, 4, 4, 8, 4>()};
    }
}

}  // namespace jacobi::cuda
