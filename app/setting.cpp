#include "setting.hpp"

#include <mpi.h>

#include <algorithm>

#include "block_order.hpp"
#include "version.hpp"

namespace jacobi {

Decomposition decomposition_of(const Config& config, const Topology& topology) {
    const Grid& grid = config.problem.grid;
    const Decomposition plain = config.comm.ranks ? decompose(grid.cells, grid.periodic, topology.size(), *config.comm.ranks)
                                                  : decompose(grid.cells, grid.periodic, topology.size());
    return arrange_by_node(plain, topology.node_of);
}

RunRecord started_record(const Config& config, const Topology& topology, const Decomposition& decomposition, int thread_level) {
    RunRecord record;
    record.config = config;
    record.version = version;
    record.git = git_describe;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(library, &length);
    record.mpi_library = std::string(library).substr(0, std::string(library).find_first_of("\n,"));
    record.mpi_thread_level = thread_level;
    record.ranks = topology.size();
    record.nodes = topology.node_count;
    record.decomposition = decomposition.ranks;
    record.bytes_per_point = static_cast<double>(bytes_of(config.solver.precision)) * (config.problem.has_rhs() ? 3 : 2);
    return record;
}

ExchangeOptions exchange_options(const Config& config, const RunRecord& record, int rank) {
    const auto& comm = config.comm;
    ExchangeOptions options;
    options.transport = comm.transport;
    options.sync = comm.sync;
    options.temporal_depth = config.solver.temporal_depth;
    options.halo_depth = comm.halo_depth;
    options.overlap = comm.overlap;
    options.timeout_s = comm.timeout_s;
    options.force = comm.force;
    for (const RankPlace& place : record.places) options.device_sharers = std::max(options.device_sharers, place.sharers);
    options.own_device_sharers = record.places[static_cast<std::size_t>(rank)].sharers;
    options.multi_process_service = record.multi_process_service;
    return options;
}

void record_exchange(const Topology& topology, const Decomposition& decomposition, const HaloExchange& exchange,
                     RunRecord& record) {
    record.temporal_depth = exchange.depths().temporal;
    record.depth_reason = exchange.depths().reason;
    record.halo_depth = exchange.depths().halo;
    record.sync = exchange.rung();
    record.sync_reason = exchange.rung_reason();
    record.boundary_apart = exchange.overlaps();
    record.edges = gather_edges(topology, exchange.edges());
    for (int r = 0; r < topology.size(); ++r) {
        const Box block = decomposition.block(r);
        record.places[r].block = block;
        const std::uint64_t bytes = exchange.arena_bytes(block);
        record.bytes_per_rank =
            std::max<std::uint64_t>(record.bytes_per_rank, bytes + (record.config.problem.has_rhs() ? bytes / 2 : 0));
    }
}

void record_plan(const Topology& topology, const Backend& backend, RunRecord& record) {
    record.pass_shape = backend.pass_shape();
    record.plan = backend.plan_origin();
    record.plan_sources.clear();
    for (const std::string& source : gather_texts(topology.world.get(), record.plan.source)) {
        if (!source.empty()) ++record.plan_sources[source];
    }
    if (record.plan.source.empty()) record.plan.reason = "the back end " + record.backend + " has nothing to choose";
    MPI_Allreduce(MPI_IN_PLACE, &record.plan.seconds, 1, MPI_DOUBLE, MPI_MAX, topology.world.get());
}

double measure_copy_gbs(HaloExchange& exchange, double seconds) {
    MPI_Barrier(MPI_COMM_WORLD);  // all ranks measure at once: ranks that share memory share its bandwidth
    double bandwidth = exchange.measure_copy_bandwidth(seconds) * 1e-9;
    MPI_Allreduce(MPI_IN_PLACE, &bandwidth, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return bandwidth;
}

std::uint64_t field_digest(Backend& backend, const HaloExchange& exchange) {
    std::uint64_t sum = backend.digest(exchange.generation());
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

}  // namespace jacobi
