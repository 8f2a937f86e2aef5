// The CUDA back end: passes of one sweep.
#include <algorithm>

#include "backend_state.cuh"
#include "fastest.hpp"
#include "march.cuh"
#include "plan_numbers.hpp"

namespace jacobi::cuda {

namespace {

template <class T, class Block, bool Rhs>
MarchKernels<T> kernels_with() {
    return {march_others<T, Rhs, Block>,
            march_touching<T, Rhs, Block>,
            march_in_order<T, Rhs, Block>,
            Block::warps,
            Block::height,
            Block::ahead};
}
template <class T, class Block>
MarchKernels<T> kernels_of(bool rhs) {
    return rhs ? kernels_with<T, Block, true>() : kernels_with<T, Block, false>();
}

/// Those that were best somewhere (kernels/README.md). No two have warps, height and planes ahead in common.
template <class T>
std::vector<MarchKernels<T>> march_kernels(bool rhs) {
    if constexpr (sizeof(T) == 8) {
        return {kernels_of<T, MarchBlock<4, 2, 1, 8>>(rhs), kernels_of<T, MarchBlock<8, 2, 1, 4>>(rhs)};
    } else {
        return {kernels_of<T, MarchBlock<8, 2, 1, 4>>(rhs), kernels_of<T, MarchBlock<4, 2, 1, 8>>(rhs),
                kernels_of<T, MarchBlock<4, 2, 2, 6>>(rhs)};
    }
}

/// Calls launch(grid, first tile) for the box [lo, hi) of tiles, strip by strip.
template <class Launch>
void for_strips(const MarchShape& s, const int (&lo)[3], const int (&hi)[3], Launch&& launch) {
    if (hi[0] <= lo[0] || hi[2] <= lo[2]) return;
    for (int row = lo[1]; row < hi[1]; row += s.strip_tiles) {
        launch(dim3(hi[0] - lo[0], std::min(s.strip_tiles, hi[1] - row), hi[2] - lo[2]), MarchTile{lo[0], row, lo[2]});
    }
}
constexpr int first_tile[3] = {0, 0, 0};

}  // namespace

template <class T>
PushTargets<T> CudaBackend<T>::push_targets(Generation g) const {
    PushTargets<T> to{};
    for (int f = 0; f < face_count; ++f) {
        const HaloTarget& target = setup_.face(f);
        to.origin[f] = reinterpret_cast<T*>(target.origin[g & 1]);
        to.pitch[f] = target.pitch;
        to.plane[f] = target.plane;
        if (target.active()) to.connected |= 1u << f;
    }
    for (int a = 0; a < 3; ++a) to.last[a] = static_cast<int>(setup_.layout.extent[a] - 1);
    return to;
}

/// Chooses thread block, chunks and strips by measuring what is promising, at most 18 shapes, in three passes each (17 where
/// passes are short), the best in more. Without stores into neighbours: into the own halo they would be others than into a
/// neighbour's. The buffers hold anything.
template <class T>
Plan CudaBackend<T>::measure_march() {
    struct Candidate {
        MarchKernels<T> kernels;
        MarchShape shape;
        double seconds;
    };
    const auto plane = static_cast<double>(setup_.layout.plane) * sizeof(T);
    std::vector<Candidate> candidates;
    for (const MarchKernels<T>& kernels : march_kernels<T>(rhs_.get() != nullptr)) {
        for (const MarchShape& shape : promising_shapes(march_.n, march_width<T>, kernels.height, plane))
            candidates.push_back({kernels, shape, 0});
    }
    const Candidate& best = fastest(candidates, [&](Candidate& c, int more) {
        Generation g = 0;
        const auto pass = [&] {
            for_strips(c.shape, first_tile, c.shape.tiles, [&](dim3 grid, const MarchTile& first) {
                launch_early(c.kernels.others, grid, dim3(32, c.kernels.warps), 0, boundary_stream_.get(), early_, args(g),
                             c.shape, first);
            });
            ++g;
        };
        c.seconds = seconds_of(pass, more);
    });
    march_kernels_ = best.kernels;
    march_ = best.shape;
    return plan_of(march_, march_kernels_.warps, march_kernels_.ahead);
}

template <class T>
bool CudaBackend<T>::use_march(const Plan& plan) {
    for (const MarchKernels<T>& kernels : march_kernels<T>(rhs_.get() != nullptr)) {
        const auto shape = planned_shape(plan, march_.n, march_width<T>, kernels.height, kernels.warps, kernels.ahead);
        if (!shape) continue;
        march_kernels_ = kernels;
        march_ = *shape;
        return true;
    }
    return false;
}

/// Whatever is chosen, the bits are the same, so ranks need not agree.
template <class T>
void CudaBackend<T>::plan_march() {
    for (int a = 0; a < 3; ++a) march_.n[a] = static_cast<int>(setup_.layout.extent[a]);
    // Columns at an x face are a fraction of their rows in memory: to walk them apart from the rest costs more than to hide the
    // exchange behind that rest would save (kernels/README.md); but messages take longer.
    apart_ = !x_neighbours() || small_ || setup_.messages;
    plan_origin_ = plans_.choose(
        plan_key(), [&](const Plan& plan) { return use_march(plan); }, [&] { return measure_march(); });
    touching_ = touching_tiles(march_, push_targets(0).connected);
}

/// Everything, or everything that touches a neighbour: what touches comes first, since neighbours wait for it.
template <class T>
void CudaBackend<T>::march_touching_tiles(Generation g, bool all, cudaStream_t stream) {
    const unsigned count = touching_.count + (all ? touching_.others : 0);
    if (count == 0) return;
    launch_early(march_kernels_.touching, count, dim3(32, march_kernels_.warps), 0, stream, early_, args(g), march_, touching_,
                 push_targets(g + 1), flagged_ ? flags_ : FlagArgs{});
}

/// Everything, in one launch a strip.
template <class T>
void CudaBackend<T>::march_in_order(Generation g, cudaStream_t stream) {
    const PushTargets<T> to = push_targets(g + 1);
    for_strips(march_, first_tile, march_.tiles, [&](dim3 grid, const MarchTile& first) {
        launch_early(march_kernels_.in_order, grid, dim3(32, march_kernels_.warps), 0, stream, early_, args(g), march_, touching_,
                     to, flagged_ ? flags_ : FlagArgs{}, g, unraised_, first);
    });
    left_to_raise(g + 1);
}

template <class T>
void CudaBackend<T>::march_pass(Generation g, Part part, cudaStream_t stream) {
    const auto others = [&] {
        for_strips(march_, touching_.lo, touching_.hi, [&](dim3 grid, const MarchTile& first) {
            launch_early(march_kernels_.others, grid, dim3(32, march_kernels_.warps), 0, stream, early_, args(g), march_, first);
        });
    };
    if (part == Part::boundary) {
        march_touching_tiles(g, false, stream);
    } else if (part == Part::interior || touching_.count == 0) {
        others();
    } else if (small_) {
        march_touching_tiles(g, true, stream);
    } else {
        march_in_order(g, stream);
    }
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
