// The plan of passes of several sweeps against what a thread block does with it: one plane marched as temporal.cuh does, with
// cells of whatever window is beside a part of one standing in for its neighbours, must store what plain sweeps store.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/temporal_plan.hpp"

namespace jacobi::cuda {
namespace {

using Value = std::uint32_t;  // whole numbers: any cell that a stored one must not depend on would show
constexpr Value face_values[] = {101, 211, 307, 401};
constexpr Value nobody = 0xdeadbeef;

Value update(Value xm, Value xp, Value ym, Value yp) { return 3 * xm + 5 * xp + 7 * ym + 11 * yp; }

struct Plane {
    std::array<int, 2> n;
    std::array<bool, face_count> connected;
    int depth;

    bool exists(int axis, int i) const {
        return i >= (connected[2 * axis] ? -depth : 0) && i < n[axis] + (connected[2 * axis + 1] ? depth : 0);
    }
    Value start(int x, int y) const {
        if (!exists(0, x) || !exists(1, y)) return nobody;
        return (static_cast<Value>(x + 50) * 2654435761u) ^ (static_cast<Value>(y + 50) * 40503u);
    }
    /// After some sweeps, by the definition.
    std::vector<Value> swept() const {
        const int width = n[0] + 2 * depth, height = n[1] + 2 * depth;
        std::vector<Value> u(static_cast<std::size_t>(width) * height), next;
        const auto at = [&](int x, int y) { return static_cast<std::size_t>((y + depth) * width + x + depth); };
        for (int y = -depth; y < n[1] + depth; ++y) {
            for (int x = -depth; x < n[0] + depth; ++x) u[at(x, y)] = start(x, y);
        }
        for (int sweep = 0; sweep < depth; ++sweep) {
            next = u;
            for (int y = 1 - depth; y < n[1] + depth - 1; ++y) {
                for (int x = 1 - depth; x < n[0] + depth - 1; ++x) {
                    const auto value = [&](int axis, int i, std::size_t cell) {
                        if (i < 0 && !connected[2 * axis]) return face_values[2 * axis];
                        if (i >= n[axis] && !connected[2 * axis + 1]) return face_values[2 * axis + 1];
                        return u[cell];
                    };
                    next[at(x, y)] = update(value(0, x - 1, at(x - 1, y)), value(0, x + 1, at(x + 1, y)),
                                            value(1, y - 1, at(x, y - 1)), value(1, y + 1, at(x, y + 1)));
                }
            }
            u = next;
        }
        std::vector<Value> inner;
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[0]; ++x) inner.push_back(u[at(x, y)]);
        }
        return inner;
    }
};

/// One thread block: every cell of it belongs to a part, its neighbours are those beside it in the block.
void march(const Plane& plane, const Segment& s, const WindowShape& shape, std::vector<Value>& out) {
    const int width = shape.width, height = shape.height, part_width = width / s.across, part_height = height / s.up;
    const auto window = [&](int column, int row) -> const Window& {
        return s.windows[row / part_height * s.across + column / part_width];
    };
    const auto dirichlet = [&](int face) { return !plane.connected[static_cast<std::size_t>(face)]; };
    bool overhangs = false, x_rim = false;
    for (int i = 0; i < s.count(); ++i) {
        overhangs |= dirichlet(3) && s.windows[i].y + part_height > plane.n[1];
        x_rim |= (dirichlet(0) && s.windows[i].x <= 0) || (dirichlet(1) && s.windows[i].x + part_width >= plane.n[0]);
    }
    std::vector<Value> u(static_cast<std::size_t>(width) * height), next(u.size());
    const auto at = [&](int column, int row) { return static_cast<std::size_t>(row * width + column); };
    const auto each = [&](auto&& visit) {
        for (int row = 0; row < height; ++row) {
            for (int column = 0; column < width; ++column) {
                const Window& w = window(column, row);
                visit(column, row, w, w.x + column % part_width, w.y + row % part_height);
            }
        }
    };
    each([&](int column, int row, const Window&, int x, int y) { u[at(column, row)] = plane.start(x, y); });
    for (int level = 0; level < plane.depth; ++level) {
        each([&](int column, int row, const Window& w, int x, int y) {
            Value xm = column > 0 ? u[at(column - 1, row)] : nobody, xp = column + 1 < width ? u[at(column + 1, row)] : nobody;
            Value ym = row > 0 ? u[at(column, row - 1)] : nobody, yp = row + 1 < height ? u[at(column, row + 1)] : nobody;
            if (x_rim && dirichlet(0) && x == 0) xm = face_values[0];
            if (x_rim && dirichlet(1) && x == plane.n[0] - 1) xp = face_values[1];
            if (row == 0 && dirichlet(2) && w.y == 0) ym = face_values[2];
            if (row == height - 1 && dirichlet(3) && w.y + height == plane.n[1]) yp = face_values[3];
            if (overhangs && y == plane.n[1] - 1) yp = face_values[3];
            next[at(column, row)] = update(xm, xp, ym, yp);
        });
        u = next;
    }
    each([&](int column, int row, const Window& w, int x, int y) {
        if (x >= w.x_lo && x < w.x_hi && y >= w.y_lo && y < w.y_hi)
            out[static_cast<std::size_t>(y * plane.n[0] + x)] = u[at(column, row)];
    });
}

TEST(TemporalParts, StoreWhatPlainSweepsStore) {
    int divided_across = 0, divided_up = 0;
    for (const WindowShape& shape : {WindowShape{64, 32, 2, 4, 4}, {64, 64, 2, 4, 4}, {128, 32, 4, 4, 4}, {64, 32, 2, 4, 3}}) {
        for (const int nx : {3, 20, 60, 68, 116, 120, 131}) {
            for (const int ny : {3, 28, 32, 56, 80, 112}) {
                for (unsigned mask = 0; mask < 16; ++mask) {
                    Plane plane{{nx, ny}, {}, shape.depth};
                    for (unsigned f = 0; f < 4; ++f) plane.connected[f] = (mask >> f & 1u) != 0;
                    const TemporalPlan plan = plan_temporal({nx, ny, 1}, plane.connected, shape.depth, shape, 1);
                    std::vector<Value> out(static_cast<std::size_t>(nx) * ny, nobody);
                    for (const Segment& s : plan.segments) {
                        march(plane, s, shape, out);
                        divided_across += s.across > 1;
                        divided_up += s.up > 1;
                    }
                    ASSERT_EQ(out, plane.swept())
                        << nx << " x " << ny << ", window " << shape.width << " x " << shape.height << ", mask " << mask;
                }
            }
        }
    }
    EXPECT_GT(divided_across, 100);
    EXPECT_GT(divided_up, 100);
}

}  // namespace
}  // namespace jacobi::cuda
