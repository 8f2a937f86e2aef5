#include "temporal_plan.hpp"

#include <algorithm>

namespace jacobi::cuda {

namespace {

/// Along one axis: where a window starts, what it keeps, and how many of the kind fit into a whole window.
struct Span {
    int start, lo, hi;
    int parts = 1;
};

/// One axis of the block and of the windows.
struct Axis {
    int n;
    bool connected_lo, connected_hi;
    int size, margin, unit, depth, sector;
    bool faces_anywhere;  ///< a part of a window may lie at a Dirichlet face; else only a whole one may

    int first() const { return connected_lo ? -depth : 0; }  ///< cells that exist
    int end() const { return connected_hi ? n + depth : n; }
    int start_of(int lo) const { return lo == 0 && !connected_lo ? 0 : lo - margin; }

    /// The span of [lo, hi) if it needs no more than a part of a window.
    Span part(int lo, int hi) const {
        Span s{start_of(lo), lo, hi};
        if (!faces_anywhere && (lo - depth < first() || hi + depth > end())) return s;
        while (2 * s.parts <= Segment::most && s.start + size / (2 * s.parts) >= std::min(end(), hi + depth)) s.parts *= 2;
        return s;
    }
};

/// Windows of `size` cells lose `margin` at each side, but nothing at a Dirichlet face, where they begin or end exactly, as far
/// as the unit allows. At a connected face the margin lies in the halo.
std::vector<Span> whole_windows(const Axis& a) {
    std::vector<Span> list;
    for (int lo = 0; lo < a.n;) {
        int start = a.start_of(lo);
        int hi = start + a.size - a.margin;
        if (start + a.size >= a.end()) {
            hi = a.n;
        } else if (hi / a.sector * a.sector > lo) {
            hi = hi / a.sector * a.sector;
        }
        // Moved back, the last window ends at the face instead of hanging over.
        if (hi >= a.n && !a.connected_hi && a.n >= a.size) start = std::min(start, (a.n - a.size + a.unit - 1) / a.unit * a.unit);
        hi = std::min(hi, a.n);
        list.push_back({start, lo, hi});
        lo = hi;
    }
    return list;
}

/// The same with a part of a window for the remainder if that is enough. It changes places with the last window, so that it
/// neither lies at a face nor has all the layers to store that a neighbour needs.
std::vector<Span> spans(const Axis& a) {
    std::vector<Span> list = whole_windows(a);
    const Span last = list.back();
    list.pop_back();
    if (!list.empty()) {
        const int start = (a.end() - a.size + a.unit - 1) / a.unit * a.unit;
        const Span before = a.part(list.back().lo, (start + a.margin + a.sector - 1) / a.sector * a.sector);
        if (before.lo < before.hi && before.parts > 1) {
            list.back() = before;
            list.push_back({start, before.hi, a.n});
            return list;
        }
    }
    const Span part = a.part(last.lo, last.hi);
    list.push_back(part.parts > 1 ? part : last);
    return list;
}

/// Fills segments with windows, as many as fit into each.
class Packer {
 public:
    Packer(std::vector<Segment>& to, int across, int up) : to_(to), across_(across), up_(up) {}
    void add(const Span& x, const Span& y) {
        const int place = used_++ % (across_ * up_);
        if (place == 0) {
            const Window empty{x.start, y.start, x.lo, x.lo, y.lo, y.lo};
            to_.push_back({0, 0, across_, up_, {empty, empty, empty, empty}});
        }
        to_.back().windows[place] = {x.start, y.start, x.lo, x.hi, y.lo, y.hi};
    }

 private:
    std::vector<Segment>& to_;
    int across_, up_, used_ = 0;
};

/// What covers one plane. Parts along y share a segment with those beside them, parts along x with those above them.
std::vector<Segment> cover(const std::array<int, 3>& n, const std::array<bool, face_count>& connected, const WindowShape& w) {
    const std::vector<Span> columns =
        spans({n[0], connected[0], connected[1], w.width, w.margin, w.unit, w.depth, w.sector, true});
    const std::vector<Span> rows = spans({n[1], connected[2], connected[3], w.height, w.depth, 1, w.depth, 1, false});
    std::vector<Segment> list;
    for (const Span& y : rows) {
        Packer packer(list, 1, y.parts);
        for (const Span& x : columns) {
            if (x.parts == 1) packer.add(x, y);
        }
    }
    for (const Span& x : columns) {
        if (x.parts == 1) continue;
        Packer packer(list, x.parts, 1);
        for (const Span& y : rows) packer.add(x, y);
    }
    return list;
}

/// Has the segment cells in the `halo` layers at a connected face?
bool touches(const Segment& s, const std::array<int, 3>& n, const std::array<bool, face_count>& connected, int halo) {
    return std::any_of(s.windows, s.windows + s.count(), [&](const Window& w) {
        if (w.x_lo == w.x_hi) return false;
        const int lo[3] = {w.x_lo, w.y_lo, s.z_lo}, hi[3] = {w.x_hi, w.y_hi, s.z_hi};
        for (int a = 0; a < 3; ++a) {
            if (connected[2 * a] && lo[a] < halo) return true;
            if (connected[2 * a + 1] && hi[a] > n[a] - halo) return true;
        }
        return false;
    });
}

}  // namespace

TemporalPlan plan_temporal(const std::array<int, 3>& n, const std::array<bool, face_count>& connected, int halo,
                           const WindowShape& window, ZChunks chunks) {
    const std::vector<Segment> plane = cover(n, connected, window);
    std::array<bool, face_count> sides = connected;
    sides[4] = sides[5] = false;
    TemporalPlan plan;
    plan.chunks = {std::min(chunks.others, n[2]), std::min(chunks.touching, n[2])};
    std::vector<Segment> rest;
    for (int c = 0; c < std::max(plan.chunks.others, plan.chunks.touching); ++c) {
        for (Segment s : plane) {
            const int count = touches(s, n, sides, halo) ? plan.chunks.touching : plan.chunks.others;
            if (c >= count) continue;
            s.z_lo = static_cast<int>(static_cast<Index>(n[2]) * c / count);
            s.z_hi = static_cast<int>(static_cast<Index>(n[2]) * (c + 1) / count);
            (touches(s, n, connected, halo) ? plan.segments : rest).push_back(s);
        }
    }
    plan.touching = static_cast<int>(plan.segments.size());
    plan.segments.insert(plan.segments.end(), rest.begin(), rest.end());
    return plan;
}

std::vector<int> promising_chunks(const std::array<int, 3>& n, const std::array<bool, face_count>& connected,
                                  const WindowShape& window, int processors, int count) {
    const Index columns = static_cast<Index>(cover(n, connected, window).size());
    std::vector<std::pair<Index, int>> costs;
    for (int chunks = 1; chunks <= n[2] && chunks <= most_chunks; ++chunks) {
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
