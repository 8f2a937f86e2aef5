// A finished run on 2 ranks, with every member of its record set to something that tests can recognise.
#pragma once

#include <mpi.h>

#include "run_record.hpp"

namespace jacobi::testing {

inline RunRecord finished_run() {
    RunRecord r;
    r.config.problem.grid.cells = {20, 30, 40};
    r.config.problem.grid.periodic = {true, false, false};
    r.config.problem.faces[5] = 1;
    r.config.solver.iterations = 100;
    r.config.output.file = "out/u.vtkhdf";
    r.config.deck_text = "grid: {cells: [20, 30, 40]}  # a comment\n";
    r.config.overrides = {"solver.iterations=100"};
    r.version = "1.2.3";
    r.git = "abc123";
    r.mpi_library = "Open MPI v4.1.4";
    r.mpi_thread_level = MPI_THREAD_MULTIPLE;
    r.ranks = 2;
    r.decomposition = {1, 1, 2};
    r.backend = "host";
    r.backend_reason = "auto: no GPU";
    r.sync = "event";
    r.sync_reason = "auto";
    r.places.resize(2);
    for (int rank = 0; rank < 2; ++rank) {
        r.places[rank].host = "node07";
        r.places[rank].device = "AVX2, 1 thread";
        r.places[rank].block = {{0, 0, 20 * rank}, {20, 30, 20 * (rank + 1)}};
        Edge edge;
        edge.rank = rank;
        edge.neighbour = 1 - rank;
        edge.direction = Direction::face(rank == 0 ? 5 : 4);
        edge.transport = "shm";
        edge.reason = "same node";
        edge.bytes = 4800;
        r.edges.push_back(edge);
        edge.neighbour = rank;
        edge.direction = Direction::face(0);
        edge.transport = "self";
        edge.reason = "own neighbour";
        edge.bytes = 6400;
        r.edges.push_back(edge);
    }
    r.bytes_per_rank = 3 << 20;
    r.iterations = 100;
    r.checks = {{0, 4.0, 2.0}, {100, 0.5, 0.25}};
    r.digest = 0xabc;
    r.setup_s = 0.5;
    r.solve_s = 0.25;
    r.check_s = 0.01;
    r.output_s = 0.125;
    r.verify_s = 0.02;
    r.total_s = 1;
    r.phases = {{"boundary", 0.05}, {"interior", 0.15}, {"wait", 0.04}};
    r.copy_gbs = 16;
    r.peers = {"shm", "", 4.5, {0.5, 3, 3.5}, 0.75};
    r.verification.kind = "exact";
    r.verification.verdict = Verification::Verdict::pass;
    r.verification.error = 1e-14;
    r.verification.text = "eigenmode, max error 1.0e-14";
    r.files = {"out/u.vtkhdf"};
    return r;
}

}  // namespace jacobi::testing
