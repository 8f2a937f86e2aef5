#include "deck_keys.hpp"

namespace jacobi::deck {
namespace {

template <int face>
void read_face(const Reader& r, Config& c) {
    r.one(Real{}, c.problem.faces[face]);
}

/// The deck's keys. Names that only some builds know are all accepted here; deck_run_checks.cpp turns away what this one lacks.
const Key keys[] = {
    {"grid", "cells", [](const Reader& r, Config& c) { r.three(Integer<Index>{1}, "[nx, ny, nz]", c.problem.grid.cells); }},
    {"grid", "length",
     [](const Reader& r, Config& c) { r.three(Real{Real::Range::positive}, "[lx, ly, lz]", c.problem.grid.length); }},
    {"grid", "periodic", [](const Reader& r, Config& c) { r.three(Bool{}, "[x, y, z]", c.problem.grid.periodic); }},
    {"problem", "kind", [](const Reader& r, Config& c) { r.one(words<ProblemKind>(problem_names), c.problem.kind); }},
    {"problem", "faces", nullptr},  // a map, of these six
    {"problem.faces", "x-", read_face<0>},
    {"problem.faces", "x+", read_face<1>},
    {"problem.faces", "y-", read_face<2>},
    {"problem.faces", "y+", read_face<3>},
    {"problem.faces", "z-", read_face<4>},
    {"problem.faces", "z+", read_face<5>},
    {"problem", "mode", [](const Reader& r, Config& c) { r.three(Integer<Index>{0}, "[mx, my, mz]", c.problem.mode); }},
    {"problem", "seed", [](const Reader& r, Config& c) { r.one(Integer<std::uint64_t>{0}, c.problem.seed); }},
    {"solver", "iterations", [](const Reader& r, Config& c) { r.one(Integer<Index>{0}, c.solver.iterations); }},
    {"solver", "tolerance", [](const Reader& r, Config& c) { r.one(Real{Real::Range::not_negative}, c.solver.tolerance); }},
    {"solver", "check_every", [](const Reader& r, Config& c) { r.one(Integer<Index>{0}, c.solver.check_every); }},
    {"solver", "precision", [](const Reader& r, Config& c) { r.one(words<Precision>(precision_names), c.solver.precision); }},
    {"solver", "temporal_depth", [](const Reader& r, Config& c) { r.one_or_auto(Integer<int>{1}, c.solver.temporal_depth); }},
    {"comm", "ranks", [](const Reader& r, Config& c) { r.three_or_auto(Integer<int>{1}, "[px, py, pz]", c.comm.ranks); }},
    {"comm", "transport",
     [](const Reader& r, Config& c) {
         r.one(words({"auto", "ipc", "shm", "mpi", "nccl"}), c.comm.transport);
     }},
    {"comm", "halo_depth", [](const Reader& r, Config& c) { r.one_or_auto(Integer<int>{1}, c.comm.halo_depth); }},
    {"comm", "ablate", [](const Reader& r, Config& c) { r.one(words<Ablate>(ablate_names), c.comm.ablate); }},
    {"comm", "sync",
     [](const Reader& r, Config& c) {
         r.one(words({"auto", "barrier", "event", "stream", "flag", "persistent"}), c.comm.sync);
     }},
    {"comm", "overlap", [](const Reader& r, Config& c) { r.one(Bool{}, c.comm.overlap); }},
    {"comm", "force", [](const Reader& r, Config& c) { r.one(Bool{}, c.comm.force); }},
    {"comm", "timeout_s",
     [](const Reader& r, Config& c) {
         r.one(Real{Real::Range::positive, 1e9}, c.comm.timeout_s);
     }},
    {"comm", "virtual_nodes", [](const Reader& r, Config& c) { r.one(Integer<int>{1}, c.comm.virtual_nodes); }},
    {"device", "backend",
     [](const Reader& r, Config& c) {
         r.one(words({"auto", "cuda", "host"}), c.device.backend);
     }},
    {"device", "threads",
     [](const Reader& r, Config& c) {
         r.one_or_auto(Integer<int>{1, 4096}, c.device.threads);
     }},
    {"device", "plan", [](const Reader& r, Config& c) { r.one(PlanSource{}, c.device.plan); }},
    {"output", "file", [](const Reader& r, Config& c) { r.one(Path{}, c.output.file); }},
    {"output", "every", [](const Reader& r, Config& c) { r.one(Integer<Index>{0}, c.output.every); }},
    {"output", "overwrite", [](const Reader& r, Config& c) { r.one(Bool{}, c.output.overwrite); }},
    {"output", "compression",
     [](const Reader& r, Config& c) {
         r.one(Integer<int>{0, 9}, c.output.compression);
     }},
    {"checkpoint", "file", [](const Reader& r, Config& c) { r.one(Path{}, c.checkpoint.file); }},
    {"checkpoint", "every", [](const Reader& r, Config& c) { r.one(Integer<Index>{0}, c.checkpoint.every); }},
    {"verify", "kind", [](const Reader& r, Config& c) { r.one(words<Verify>(verify_names), c.verify); }},
    {"report", "file", [](const Reader& r, Config& c) { r.one(Path{}, c.report.file); }},
    {"report", "csv", [](const Reader& r, Config& c) { r.one(Path{}, c.report.csv); }},
};

}  // namespace

std::span<const Key> key_table() { return keys; }

}  // namespace jacobi::deck
