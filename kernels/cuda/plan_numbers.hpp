// Shapes of passes as the numbers of a plan (plans.hpp), and back.
#pragma once

#include <optional>

#include "march_plan.hpp"
#include "plans.hpp"
#include "temporal_plan.hpp"

namespace jacobi::cuda {

/// A positive number of a plan; 0: it has none of this name.
inline int positive(const Plan& plan, const char* name) {
    const auto found = plan.find(name);
    return found != plan.end() && found->second > 0 ? found->second : 0;
}

/// Of passes of one sweep: the shape, and the kernel that it is for, by its warps and the planes that it loads at a time.
inline Plan plan_of(const MarchShape& s, int warps, int ahead) {
    return {{"sweeps", 1},    {"width", s.width}, {"height", s.height}, {"warps", warps},
            {"ahead", ahead}, {"chunk", s.chunk}, {"strips", s.strips}};
}

/// The shape that it says, for a block of n cells and a kernel with tiles of width x height; none where it is not for this kernel
/// or says what march_shape would not make of this block.
inline std::optional<MarchShape> planned_shape(const Plan& plan, const int (&n)[3], int width, int height, int warps, int ahead) {
    const int chunk = positive(plan, "chunk"), strips = positive(plan, "strips");
    if (chunk == 0 || strips == 0) return std::nullopt;
    const MarchShape shape = march_shape(n, width, height, chunk, strips);
    return plan_of(shape, warps, ahead) == plan ? std::optional(shape) : std::nullopt;
}

/// Of passes of several sweeps.
inline Plan plan_of(const WindowShape& w, int warps, ZChunks chunks) {
    return {{"sweeps", w.depth}, {"width", w.width},        {"height", w.height},
            {"warps", warps},    {"chunks", chunks.others}, {"touching_chunks", chunks.touching}};
}

/// The chunks that it says, for a block of so many planes and a kernel with such windows; none as above.
inline std::optional<ZChunks> planned_chunks(const Plan& plan, const WindowShape& window, int warps, int planes) {
    const ZChunks chunks{positive(plan, "chunks"), positive(plan, "touching_chunks")};
    for (const int n : {chunks.others, chunks.touching}) {
        if (n == 0 || n > planes || n > most_chunks) return std::nullopt;
    }
    return plan_of(window, warps, chunks) == plan ? std::optional(chunks) : std::nullopt;
}

}  // namespace jacobi::cuda
