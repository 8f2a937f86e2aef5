#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deck_reader.hpp"
#include "deck_values.hpp"

namespace jacobi {
namespace {

/// A path as a YAML scalar: plain where every reader takes it for text, else in double quotes.
std::string path_scalar(const std::string& path) {
    if (path.empty()) return "none";
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '/' ||
               c == '-';
    };
    bool plain = path != "none" && !deck::looks_like_other_type(path) && path[0] != '-' && path[0] != '.';
    std::string quoted = "\"";
    for (const char c : path) {
        plain = plain && is_plain(c);
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return plain ? path : quoted + '"';
}

template <class T>
std::string list(const std::array<T, 3>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
}

template <class T>
std::string or_auto(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : "auto";
}

std::string problem_section(const Problem& problem) {
    std::string text = fmt::format("problem:\n  kind: {}\n", name(problem.kind));
    if (problem.kind == ProblemKind::poisson || problem.kind == ProblemKind::eigenmode) {
        return text + fmt::format("  mode: {}\n", list(problem.mode));
    }
    std::string faces;
    for (int face = 0; face < face_count; ++face) {
        if (problem.grid.periodic[face / 2]) continue;
        faces += fmt::format("{}{}: {}", faces.empty() ? "" : ", ", face_names[face], problem.faces[face]);
    }
    if (!faces.empty()) text += fmt::format("  faces: {{{}}}\n", faces);
    if (problem.kind == ProblemKind::random) text += fmt::format("  seed: {}\n", problem.seed);
    return text;
}

}  // namespace

std::string to_yaml(const Config& c) {
    std::string text = fmt::format("grid:\n  cells: {}\n  length: {}\n  periodic: {}\n", list(c.problem.grid.cells),
                                   list(c.problem.grid.length), list(c.problem.grid.periodic));
    text += problem_section(c.problem);
    text += fmt::format("solver:\n  iterations: {}\n  tolerance: {}\n  check_every: {}\n  precision: {}\n  temporal_depth: {}\n",
                        c.solver.iterations, c.solver.tolerance, c.solver.check_every, name(c.solver.precision),
                        or_auto(c.solver.temporal_depth));
    text += fmt::format("comm:\n  ranks: {}\n  transport: {}\n  halo_depth: {}\n  ablate: {}\n  sync: {}\n",
                        c.comm.ranks ? list(*c.comm.ranks) : "auto", c.comm.transport, or_auto(c.comm.halo_depth),
                        name(c.comm.ablate), c.comm.sync);
    text += fmt::format("  overlap: {}\n  force: {}\n  timeout_s: {}\n  virtual_nodes: {}\n", c.comm.overlap, c.comm.force,
                        c.comm.timeout_s, c.comm.virtual_nodes);
    text += fmt::format("device:\n  backend: {}\n  threads: {}\n  plan: {}\n", c.device.backend, or_auto(c.device.threads),
                        path_scalar(c.device.plan));
    text += fmt::format("output:\n  file: {}\n  every: {}\n  overwrite: {}\n  compression: {}\n", path_scalar(c.output.file),
                        c.output.every, c.output.overwrite, c.output.compression);
    text += fmt::format("checkpoint:\n  file: {}\n  every: {}\n", path_scalar(c.checkpoint.file), c.checkpoint.every);
    text += fmt::format("verify:\n  kind: {}\n", name(c.verify));
    text += fmt::format("report:\n  file: {}\n  csv: {}\n", path_scalar(c.report.file), path_scalar(c.report.csv));
    return text;
}

}  // namespace jacobi
