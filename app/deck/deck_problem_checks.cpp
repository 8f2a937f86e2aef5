#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <utility>

#include "deck_checks.hpp"

namespace jacobi::deck {
namespace {

/// Do the bytes of the whole grid on one rank, in double and with that many halo layers, exceed signed 64 bits?
bool overflows(const Index3& cells, Index halo) {
    Index bytes = 8;
    bool overflow = false;
    for (const Index n : cells) {
        Index padded = 0;
        overflow |= __builtin_add_overflow(n, 2 * halo, &padded) || __builtin_mul_overflow(bytes, padded, &bytes);
    }
    return overflow;
}

/// Every byte count of a rank, with halos, stays within signed 64 bits. The fault is the grid's, or that of each key that asks
/// for more layers than fit.
void grid_size(Checks& c) {
    if (!c.sound({"grid.cells"})) return;
    const Index3& n = c.config.problem.grid.cells;
    if (overflows(n, 1)) {
        c.fail("grid.cells",
               fmt::format("expected a grid whose bytes fit in 64 bits, found {} x {} x {} cells", n[0], n[1], n[2]));
        return;
    }
    const std::pair<const char*, std::optional<int>> keys[] = {{"comm.halo_depth", c.config.comm.halo_depth},
                                                               {"solver.temporal_depth", c.config.solver.temporal_depth}};
    for (const auto& [path, layers] : keys) {
        if (!layers || !c.sound({path}) || !overflows(n, *layers)) continue;
        c.fail(path, fmt::format("expected halo layers whose bytes around the grid fit in 64 bits, found {}", *layers));
    }
}

/// 1/h^2 summed over the axes scales every residual: the working precision must hold it.
void spacing(Checks& c) {
    if (!c.sound({"grid.cells", "grid.length", "grid.periodic", "solver.precision"})) return;
    double diag = 0;
    for (int a = 0; a < 3; ++a) diag += 2 / (c.config.problem.grid.spacing(a) * c.config.problem.grid.spacing(a));
    const bool single = c.config.solver.precision == Precision::float32;
    if (diag >= (single ? FLT_MIN : DBL_MIN) && diag <= (single ? FLT_MAX : DBL_MAX)) return;
    c.fail("grid.length", fmt::format("expected lengths whose 2/h^2, summed over the axes, fits in {}, found {}",
                                      single ? "float" : "double", diag));
}

/// 1 on the + face of the last axis that has faces.
void default_faces(Checks& c) {
    if (c.config.problem.kind != ProblemKind::laplace) return;
    for (int a = 2; a >= 0; --a) {
        if (c.config.problem.grid.periodic[a]) continue;
        c.config.problem.faces[2 * a + 1] = 1;
        return;
    }
}

void unsuited(Checks& c, const std::string& path, const char* kinds) {
    c.fail_key(path, fmt::format("expected only where problem.kind is {}, found with {}", kinds, name(c.config.problem.kind)));
}

void faces(Checks& c) {
    if (!c.sound({"problem.kind"})) return;
    const ProblemKind kind = c.config.problem.kind;
    if (c.given("problem.faces") && kind != ProblemKind::laplace && kind != ProblemKind::random) {
        unsuited(c, "problem.faces", "laplace or random");
        return;
    }
    if (!c.given("problem.faces")) default_faces(c);
    for (int face = 0; face < face_count; ++face) {
        const std::string path = fmt::format("problem.faces.{}", face_names[face]);
        if (!c.given(path) || !c.sound({path})) continue;
        if (c.sound({"grid.periodic"}) && c.config.problem.grid.periodic[face / 2]) {
            c.fail_key(path, fmt::format("the {} axis is periodic and has no faces; expected no such key", axis_names[face / 2]));
        } else if (c.config.solver.precision == Precision::float32 && std::abs(c.config.problem.faces[face]) > FLT_MAX) {
            c.fail(path, fmt::format("expected a number that fits in float, found {}", c.config.problem.faces[face]));
        }
    }
}

/// Periodic axes hold modes up to n/2 (a faster wave is a slower one in disguise), axes between faces 1 to n.
void mode(Checks& c) {
    if (!c.sound({"problem.kind", "problem.mode"})) return;
    const Problem& p = c.config.problem;
    const bool given = c.given("problem.mode");
    if (p.kind != ProblemKind::eigenmode && p.kind != ProblemKind::poisson) {
        if (given) unsuited(c, "problem.mode", "eigenmode or poisson");
        return;
    }
    if (!c.sound({"grid.cells", "grid.periodic"})) return;
    bool within = true;
    for (int a = 0; a < 3; ++a) {
        const Index min = p.grid.periodic[a] ? 0 : 1;
        const Index max = p.grid.periodic[a] ? p.grid.cells[a] / 2 : p.grid.cells[a];
        if (p.mode[a] >= min && p.mode[a] <= max) continue;
        within = false;
        const std::string message =
            fmt::format("expected {} to {} on the {} axis ({} cells{}), found {}", min, max, axis_names[a], p.grid.cells[a],
                        p.grid.periodic[a] ? ", periodic" : "", p.mode[a]);
        c.fail_at(given ? c.reading.given.at(fmt::format("problem.mode[{}]", a)).value : c.value_place("problem.kind"),
                  fmt::format("problem.mode[{}]", a), given ? message : message + ", the default; give problem.mode");
    }
    if (within && p.kind == ProblemKind::poisson && p.mode == Index3{0, 0, 0}) {
        c.fail("problem.mode", "expected a mode other than 0 on some axis, found [0, 0, 0], whose right-hand side is zero");
    }
}

void seed(Checks& c) {
    if (!c.sound({"problem.kind", "problem.seed"})) return;
    if (c.given("problem.seed") && c.config.problem.kind != ProblemKind::random) unsuited(c, "problem.seed", "random");
}

void verification(Checks& c) {
    if (!c.sound({"verify.kind", "problem.kind"})) return;
    if (c.config.verify != Verify::exact || c.config.problem.kind != ProblemKind::random) return;
    c.fail("verify.kind", "expected auto, none or reference, found exact: the random problem has no closed form");
}

}  // namespace

void check_problem(Checks& c) {
    grid_size(c);
    spacing(c);
    faces(c);
    mode(c);
    seed(c);
    verification(c);
}

}  // namespace jacobi::deck
