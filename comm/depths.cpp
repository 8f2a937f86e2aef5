#include "depths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "error.hpp"

namespace jacobi {

namespace {

struct Thinnest {
    Index cells = std::numeric_limits<int>::max();
    int axis = 0;
};

Thinnest thinnest(const Decomposition& decomposition) {
    Thinnest found;
    for (int r = 0; r < decomposition.size(); ++r) {
        const Index3 extent = decomposition.block(r).extent();
        for (int f = 0; f < face_count; ++f) {
            if (decomposition.neighbour(r, Direction::face(f)) && extent[f / 2] < found.cells) found = {extent[f / 2], f / 2};
        }
    }
    return found;
}

/// Why no block of a decomposition gives so many layers, and what to do.
std::string refusal(const Decomposition& decomposition, const char* key, int layers) {
    const auto [cells, axis] = thinnest(decomposition);
    const char* const plural = cells == 1 ? "" : "s";
    const char name = axis_names[axis];
    if (decomposition.ranks[axis] == 1) {
        return fmt::format(
            "{}: {} halo layers, but the grid is only {} cell{} thick along {}, which is periodic and not cut: its block is its "
            "own neighbour there. Use at most {}, or more grid.cells along {}",
            key, layers, cells, plural, name, cells, name);
    }
    return fmt::format(
        "{}: {} halo layers, but {} ranks as {} x {} x {} cut a block only {} cell{} thick along {}, where it has a "
        "neighbour: use at most {}, or other comm.ranks or fewer ranks along {}",
        key, layers, decomposition.size(), decomposition.ranks[0], decomposition.ranks[1], decomposition.ranks[2], cells, plural,
        name, cells, name);
}

}  // namespace

int thinnest_block(const Decomposition& decomposition) { return static_cast<int>(thinnest(decomposition).cells); }

Depths choose_depths(const Topology& topology, const Decomposition& decomposition, const Backend& backend, bool rhs,
                     const DepthsAsked& asked) {
    const DepthLimits mine = backend.depth_limits(decomposition.block(topology.rank()).extent(), rhs);
    std::array<int, 4> limits{mine.most, mine.most_persistent, mine.preferred, asked.launch_bound ? 1 : 0};
    MPI_Allreduce(MPI_IN_PLACE, limits.data(), 4, MPI_INT, MPI_MIN, topology.world.get());
    const auto [most, most_persistent, preferred, launch_bound] = limits;
    // Where passes are as short as launches, comm.sync: auto takes persistent ones (rungs.cpp).
    const bool persistent = asked.sync == "persistent" || (asked.sync == "auto" && launch_bound != 0);
    if (asked.temporal.value_or(1) > most) {
        throw Error(
            fmt::format("solver.temporal_depth: {} sweeps a pass cannot be had with the {} back end, which offers at most {}",
                        *asked.temporal, backend.name(), most),
            Exit::failure, true);
    }
    const int thinnest = thinnest_block(decomposition);
    const int needed = std::max(asked.temporal.value_or(1), asked.halo.value_or(1));
    if (needed > thinnest)
        throw Error(refusal(decomposition, asked.halo ? "comm.halo_depth" : "solver.temporal_depth", needed), Exit::usage, true);
    Depths depths;
    if (asked.temporal) {
        depths.temporal = *asked.temporal;
        depths.reason = "asked for";
    } else {
        const int wanted = persistent ? std::min(preferred, most_persistent) : preferred;
        depths.temporal = std::min({wanted, thinnest, asked.halo.value_or(wanted)});
        depths.reason = depths.temporal < wanted ? "what the halo and the thinnest block allow"
                        : persistent             ? "what persistent passes of this back end do best"
                                                 : "what this back end does best with blocks of this size";
    }
    depths.halo = std::max(asked.halo.value_or(1), depths.temporal);
    return depths;
}

}  // namespace jacobi
