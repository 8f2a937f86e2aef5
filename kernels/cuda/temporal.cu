// The CUDA back end: passes of several sweeps.
#include <algorithm>
#include <cstdlib>

#include "backend_state.cuh"
#include "fastest.hpp"
#include "plan_numbers.hpp"
#include "temporal_shapes.cuh"

namespace jacobi::cuda {

template <class T>
DepthLimits CudaBackend<T>::depth_limits(const Index3&, bool rhs) const {
    DepthLimits limits;
    while (limits.most < most_temporal_depth) {
        const auto shapes = temporal_shapes<T>(limits.most + 1);
        const std::size_t shared = rhs ? shapes.front().rhs_shared : shapes.front().shared;
        if (shared > properties_.sharedMemPerBlockOptin) break;
        ++limits.most;
    }
    limits.most_persistent = 1;
    limits.preferred = limits.most;
    return limits;
}

template <class T>
TemporalArgs<T> CudaBackend<T>::temporal_args(Generation g) const {
    const SweepArgs<T> s = args(g);
    TemporalArgs<T> a{};
    a.u = s.u;
    a.out = s.out;
    a.pitch = s.pitch;
    a.plane = s.plane;
    if (s.b != nullptr) a.rhs_at(s.b);
    a.cx = s.cx;
    a.cy = s.cy;
    a.cz = s.cz;
    for (int axis = 0; axis < 3; ++axis) a.n[axis] = static_cast<int>(setup_.layout.extent[axis]);
    for (int f = 0; f < face_count; ++f) {
        a.dirichlet[f] = !setup_.face(f).active();
        a.face[f] = static_cast<T>(setup_.problem.faces[f]);
        if (f % 2 == 1) a.reach[f / 2] = a.dirichlet[f] ? 0 : setup_.layout.halo;
    }
    static const bool watched = std::getenv("JACOBI_RACECHECK") != nullptr;
    if (watched) a.arriving = 32;
    return a;
}

/// Fills in LayerTargets::shift, for layers of a field whose cell (0, 0, 0) is at `out`.
template <class T>
LayerTargets<T> CudaBackend<T>::with_shifts(LayerTargets<T> to, const T* out) const {
    for (int f = 0; f < 4; ++f) {
        const int code = Direction::face(f).code;
        to.shift[f] = reinterpret_cast<const char*>(to.origin[code]) - reinterpret_cast<const char*>(out);
        const bool same = to.pitch[code] == setup_.layout.pitch && to.plane[code] == setup_.layout.plane;
        if (!same || to.shift[f] % static_cast<long long>(sizeof(Pack<T>)) != 0) to.shift[f] = 1;
    }
    return to;
}

template <class T>
LayerTargets<T> CudaBackend<T>::layer_targets(Generation g) const {
    LayerTargets<T> to{};
    for (int code = 0; code < Direction::count; ++code) {
        const HaloTarget& target = setup_.targets[static_cast<std::size_t>(code)];
        to.origin[code] = reinterpret_cast<T*>(target.origin[g & 1]);
        to.pitch[code] = target.pitch;
        to.plane[code] = target.plane;
    }
    to.depth = setup_.depth();
    return with_shifts(to, field(g));
}

/// The same with this rank at the place of each neighbour: the layers go into its own halos.
template <class T>
LayerTargets<T> CudaBackend<T>::own_layer_targets(Generation g) const {
    LayerTargets<T> to = layer_targets(g);
    const FieldLayout& layout = setup_.layout;
    for (int code = 0; code < Direction::count; ++code) {
        if (to.origin[code] == nullptr) continue;
        const auto offset = Direction{code}.offset();
        to.origin[code] = field(g) - offset[0] * layout.extent[0] - offset[1] * layout.extent[1] * layout.pitch -
                          offset[2] * layout.extent[2] * layout.plane;
        to.pitch[code] = layout.pitch;
        to.plane[code] = layout.plane;
    }
    return with_shifts(to, field(g));
}

template <class T>
TemporalBlock CudaBackend<T>::temporal_block() const {
    TemporalBlock block;
    for (int a = 0; a < 3; ++a) block.n[a] = static_cast<int>(setup_.layout.extent[a]);
    for (int f = 0; f < face_count; ++f) block.connected[f] = setup_.face(f).active();
    return block;
}

template <class T>
TemporalLaunch<T> CudaBackend<T>::temporal_launch(const TemporalShape<T>& shape, ZChunks chunks) {
    const auto [n, connected] = temporal_block();
    const TemporalPlan plan = plan_temporal(n, connected, setup_.depth(), shape.window, chunks);
    const bool rhs = rhs_.get() != nullptr;
    TemporalLaunch<T> launch;
    launch.kernel = rhs ? shape.rhs_kernel : shape.kernel;
    launch.shared = rhs ? shape.rhs_shared : shape.shared;
    launch.warps = shape.warps;
    launch.window = shape.window;
    launch.chunks = plan.chunks;
    launch.touching = static_cast<unsigned>(plan.touching);
    launch.count = static_cast<unsigned>(plan.segments.size());
    launch.segments = DeviceBuffer<Segment>(plan.segments.size());
    JACOBI_CUDA(cudaMemcpyAsync(launch.segments.get(), plan.segments.data(), plan.segments.size() * sizeof(Segment),
                                cudaMemcpyHostToDevice, boundary_stream_.get()));
    JACOBI_CUDA(
        cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(launch.shared)));
    synchronise();  // the plan is pageable memory that goes out of scope
    return launch;
}

template <class T>
std::vector<int> CudaBackend<T>::temporal_chunks(const TemporalShape<T>& shape, int count) const {
    const auto [n, connected] = temporal_block();
    return promising_chunks(n, connected, shape.window, std::max(1, properties_.multiProcessorCount / sharers_), count);
}

/// Behind as many others as run at once: ranks out of step by as long as those take need not wait for each other.
template <class T>
TouchingBlocks CudaBackend<T>::behind_others(const TemporalLaunch<T>& launch) const {
    const auto at_once = static_cast<unsigned>(std::max(1, properties_.multiProcessorCount / sharers_));
    return {std::min(launch.count - launch.touching, at_once), launch.touching};
}

/// Chooses windows and chunks of the deepest pass by measuring what a model finds promising. Blocks that touch a neighbour take
/// longer, since they store layers into it: here into the own halos.
template <class T>
Plan CudaBackend<T>::measure_temporal() {
    struct Candidate {
        TemporalLaunch<T> launch;
        double seconds;
    };
    const auto connected = temporal_block().connected;
    const bool sides = std::any_of(connected.begin(), connected.begin() + 4, [](bool c) { return c; });
    std::vector<Candidate> candidates;
    for (const TemporalShape<T>& shape : temporal_shapes<T>(setup_.temporal_depth)) {
        for (const int chunks : temporal_chunks(shape, 4)) {
            candidates.push_back({temporal_launch(shape, chunks), 0});
            if (sides && chunks < most_chunks) candidates.push_back({temporal_launch(shape, {chunks, chunks + 1}), 0});
        }
    }
    Candidate& best = fastest(candidates, [&](Candidate& c, int more) {
        Generation g = 0;
        const auto pass = [&] {
            c.launch.run(temporal_args(g), 0, c.launch.count, behind_others(c.launch), own_layer_targets(g + 1), FlagArgs{}, g,
                         false, boundary_stream_.get(), early_);  // the buffers hold anything
            ++g;
        };
        c.seconds = seconds_of(pass, more);
    });
    temporal_.back() = std::move(best.launch);
    return plan_of(temporal_.back().window, temporal_.back().warps, temporal_.back().chunks);
}

template <class T>
bool CudaBackend<T>::use_temporal(const Plan& plan) {
    for (const TemporalShape<T>& shape : temporal_shapes<T>(setup_.temporal_depth)) {
        const auto chunks = planned_chunks(plan, shape.window, shape.warps, static_cast<int>(setup_.layout.extent[2]));
        if (!chunks) continue;
        temporal_.back() = temporal_launch(shape, *chunks);
        return true;
    }
    return false;
}

/// The deepest pass as measured or planned before, the rare shallower ones by the model alone. Whatever is chosen, the bits are
/// the same, so ranks need not agree.
template <class T>
void CudaBackend<T>::plan_temporal_passes() {
    temporal_.clear();
    for (int depth = 1; depth < setup_.temporal_depth; ++depth) {
        const TemporalShape<T> shape = temporal_shapes<T>(depth).front();
        temporal_.push_back(temporal_launch(shape, temporal_chunks(shape, 1).front()));
    }
    temporal_.emplace_back();
    plan_origin_ = plans_.choose(
        plan_key(), [&](const Plan& plan) { return use_temporal(plan); }, [&] { return measure_temporal(); });
}

/// Blocks that touch a neighbour come first, so that it is served while the others run; with flags, in a large block, some others
/// before them.
template <class T>
void CudaBackend<T>::temporal_pass(Generation g, int depth, Part part, cudaStream_t stream) {
    const TemporalLaunch<T>& launch = temporal_[static_cast<std::size_t>(depth - 1)];
    const LayerTargets<T> to = layer_targets(g + 1);
    const unsigned others = launch.count - launch.touching;
    if (part == Part::interior) {
        // Not ordered behind the neighbours' stores, and need not be: windows may hang over into halo cells that a neighbour is
        // storing, but no cell that is kept depends on those (temporal_plan.hpp says which segments touch).
        launch.run(temporal_args(g), launch.touching, others, {0, 0}, to, FlagArgs{}, g, false, stream, early_);
        return;
    }
    const FlagArgs flags = flagged_ ? flags_ : FlagArgs{};
    const Generation named = small_ ? -1 : g;  // graphs of small passes freeze no number
    if (part == Part::boundary) {
        launch.run(temporal_args(g), 0, launch.touching, {0, launch.touching}, to, flags, named, false, stream, early_);
        return;
    }
    const bool in_between = flagged_ && !small_;
    const TouchingBlocks touching = in_between ? behind_others(launch) : TouchingBlocks{0, launch.touching};
    launch.run(temporal_args(g), 0, launch.count, touching, to, flags, named, unraised_, stream, early_);
    if (in_between) left_to_raise(g + 1);
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
