// The host back end: passes.
#include <algorithm>

#include "host_backend.hpp"
#include "layers.hpp"

namespace jacobi::host {

namespace {
constexpr Index rows_worth_a_thread = 24;
}

template <class T>
SweepArgs<T> HostBackend<T>::args(Generation g) const {
    const Index origin = setup_.layout.origin;
    const auto& c = coefficients_;
    return {field(g) + origin,
            field(g + 1) + origin,
            rhs_ ? rhs_.get() + origin : nullptr,
            setup_.layout.pitch,
            setup_.layout.plane,
            c.cx,
            c.cy,
            c.cz,
            c.diag};
}

/// Thread t's share of a box: whole planes where there are enough, else whole rows. With passes of several sweeps rows come
/// first: they are cut into tiles anyway, while a cut across z has its planes computed twice.
template <class T>
Range HostBackend<T>::part(const Box& box, int t) const {
    Range range{{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}};
    const Index rows = box.hi[1] - box.lo[1], planes = box.hi[2] - box.lo[2];
    const bool by_rows = setup_.temporal_depth > 1 ? rows >= rows_worth_a_thread * team_.size() : planes < team_.size();
    const int axis = by_rows || planes < team_.size() ? 1 : 2;
    const Index n = box.hi[axis] - box.lo[axis];
    range.lo[axis] = box.lo[axis] + n * t / team_.size();
    range.hi[axis] = box.lo[axis] + n * (t + 1) / team_.size();
    return range;
}

template <class T>
std::string HostBackend<T>::pass_shape() const {
    if (scratch_.empty()) return {};
    return "tiles of rows marched along z, the levels between in " + std::to_string(scratch_.front().bytes() / 1024) +
           " KiB of " + (scratch_shared_ ? "the cache that cores share" : "a core's own cache");
}

template <class T>
void HostBackend<T>::advance(const Range& range, Generation g, int depth, int t, bool stream) {
    if (depth == 1) return kernels_.sweep(args(g), range, stream);
    // In passing it may load halo cells that a neighbour is storing, in buffer g & 1, for the pass after: whole vectors take in
    // cells that nothing depends on.
    const auto thread = static_cast<std::size_t>(t);
    kernels_.sweeps(args(g), range, {depth, limits_, scratch_[thread].data(), scratch_[thread].bytes(), scratch_shared_}, stream);
}

/// Stores the range's cells of generation g into the neighbours that need them.
template <class T>
void HostBackend<T>::push(const Range& range, Generation g) const {
    const FieldLayout& layout = setup_.layout;
    const T* u = field(g) + layout.origin;
    for (const Direction d : directions_of_depth(setup_.depth())) {
        const HaloTarget& target = setup_.targets[static_cast<std::size_t>(d.code)];
        if (!target.active()) continue;
        const Box layers = layers_towards(d, layout.extent, setup_.depth());
        Range mine;  // the range's cells of those layers
        for (int a = 0; a < 3; ++a) {
            mine.lo[a] = std::max<Index>(range.lo[a], layers.lo[a]);
            mine.hi[a] = std::min<Index>(range.hi[a], layers.hi[a]);
        }
        T* out = reinterpret_cast<T*>(target.origin[g & 1]);
        const auto offset = d.offset();
        const bool every = axes_of(d) == 1;
        for_cells(mine, [&](Index x, Index y, Index z) {
            if (every || needed_towards(offset.data(), layout.extent.data(), setup_.depth(), x, y, z)) {
                out[x + target.pitch * y + target.plane * z] = u[x + layout.pitch * y + layout.plane * z];
            }
        });
    }
}

template <class T>
void HostBackend<T>::boundary_part(Generation g, int depth, int t) {
    for (const Box& box : shell_.boundary) {
        const Range range = part(box, t);
        if (range.lo[1] >= range.hi[1] || range.lo[2] >= range.hi[2]) continue;
        // Ordinary stores for slabs: their rows are copied on and read again soon.
        advance(range, g, depth, t, !apart_ && stream_);
        push(range, g + 1);
    }
}

template <class T>
void HostBackend<T>::interior_part(Generation g, int depth, int t) {
    advance(part(shell_.interior, t), g, depth, t, stream_);
}

template <class T>
void HostBackend<T>::boundary(Generation g, int depth) {
    const auto start = Clock::now();
    team_.run([&](int t) {
        if (flags_.in_use()) {
            const bool ok = flags_.await(g);
            if (ok) boundary_part(g, depth, t);
            team_.barrier();  // all threads' halo reads and peer stores are behind it
            if (t == 0 && !flags_.timeout()) flags_.raise(g + 1);
        } else {
            boundary_part(g, depth, t);
        }
    });
    times_.boundary += seconds_since(start);
    times_.sweeps += depth;
}

template <class T>
void HostBackend<T>::interior(Generation g, int depth) {
    const auto start = Clock::now();
    team_.run([&](int t) { interior_part(g, depth, t); });
    times_.interior += seconds_since(start);
}

template <class T>
void HostBackend<T>::whole(Generation g, int depth) {
    boundary(g, depth);
    interior(g, depth);
}

template <class T>
void HostBackend<T>::flagged_passes(Generation g, Index passes, int depth) {
    for (const Generation end = g + passes; g < end && !flags_.timeout(); ++g) whole(g, depth);
}

template <class T>
void HostBackend<T>::persistent_passes(Generation first, Index passes, int depth) {
    const auto start = Clock::now();
    team_.run([&](int t) {
        for (Generation g = first; g < first + passes; ++g) {
            const bool ok = flags_.await(g);
            if (ok) boundary_part(g, depth, t);
            team_.barrier();  // all threads' halo reads and peer stores are behind it
            if (flags_.timeout()) return;
            if (t == 0) flags_.raise(g + 1);
            interior_part(g, depth, t);
            team_.barrier();  // the next pass reads what other threads wrote in this one, and overwrites what they read
        }
    });
    times_.interior += seconds_since(start);
    times_.sweeps += passes * depth;
}

template class HostBackend<double>;
template class HostBackend<float>;

}  // namespace jacobi::host
