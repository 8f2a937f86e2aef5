#include "temporal_plan.hpp"

#include <algorithm>

namespace jacobi::cuda {

namespace {

/// Along one axis: where a window starts and what it keeps.
struct Span {
    int start, lo, hi;
};

/// Windows of `size` cells lose `margin` at each side, but nothing at a Dirichlet face, where they begin or end exactly, as far
/// as the unit allows. At a connected face the margin lies in the halo.
std::vector<Span> spans(int n, int size, int margin, int unit, bool connected_lo, bool connected_hi, int depth) {
    std::vector<Span> list;
    for (int lo = 0; lo < n;) {
        int start = lo == 0 && !connected_lo ? 0 : lo - margin;
        int hi = start + size - margin;
        if (connected_hi ? start + size >= n + depth : start + size >= n) hi = n;
        // Moved back, the last window ends at the face instead of hanging over.
        if (hi >= n && !connected_hi && n >= size) start = std::min(start, (n - size + unit - 1) / unit * unit);
        hi = std::min(hi, n);
        list.push_back({start, lo, hi});
        lo = hi;
    }
    return list;
}

struct Windows {
    std::vector<Span> x, y;
};
Windows windows(const std::array<int, 3>& n, const std::array<bool, face_count>& connected, const WindowShape& w) {
    return {spans(n[0], w.width, w.margin, w.unit, connected[0], connected[1], w.depth),
            spans(n[1], w.height, w.depth, 1, connected[2], connected[3], w.depth)};
}

}  // namespace

TemporalPlan plan_temporal(const std::array<int, 3>& n, const std::array<bool, face_count>& connected, int halo,
                           const WindowShape& window, int chunks) {
    const Windows all = windows(n, connected, window);
    TemporalPlan plan;
    plan.chunks = std::min(chunks, n[2]);
    std::vector<Segment> rest;
    for (int c = 0; c < plan.chunks; ++c) {
        const auto cut = [&](int i) { return static_cast<int>(static_cast<Index>(n[2]) * i / plan.chunks); };
        for (const Span& y : all.y) {
            for (const Span& x : all.x) {
                const Segment s{x.start, y.start, x.lo, x.hi, y.lo, y.hi, cut(c), cut(c + 1)};
                const int lo[3] = {s.x_lo, s.y_lo, s.z_lo}, hi[3] = {s.x_hi, s.y_hi, s.z_hi};
                bool touches = false;
                for (int a = 0; a < 3; ++a) {
                    touches |= connected[2 * a] && lo[a] < halo;
                    touches |= connected[2 * a + 1] && hi[a] > n[a] - halo;
                }
                (touches ? plan.segments : rest).push_back(s);
            }
        }
    }
    plan.touching = static_cast<int>(plan.segments.size());
    plan.segments.insert(plan.segments.end(), rest.begin(), rest.end());
    return plan;
}

std::vector<int> promising_chunks(const std::array<int, 3>& n, const std::array<bool, face_count>& connected,
                                  const WindowShape& window, int processors, int count) {
    const Windows all = windows(n, connected, window);
    const Index columns = static_cast<Index>(all.x.size() * all.y.size());
    std::vector<std::pair<Index, int>> costs;
    for (int chunks = 1; chunks <= n[2] && chunks <= 64; ++chunks) {
        const Index rounds = (columns * chunks + processors - 1) / processors;
        const Index planes = (n[2] + chunks - 1) / chunks + 2 * window.depth + 2;  // 2: start and end of a thread block
        costs.emplace_back(rounds * planes, chunks);
    }
    std::stable_sort(costs.begin(), costs.end());
    std::vector<int> best;
    for (int i = 0; i < count && i < static_cast<int>(costs.size()); ++i)
        best.push_back(costs[static_cast<std::size_t>(i)].second);
    return best;
}

}  // namespace jacobi::cuda
