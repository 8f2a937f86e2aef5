// What a run works with, between its configuration and its first sweep: blocks, exchange, bound, and how they enter the record.
#pragma once

#include "halo_exchange.hpp"
#include "run_record.hpp"

namespace jacobi {

/// The blocks of a configuration on so many ranks. Throws Error (usage) for ranks that the grid cannot take.
Decomposition decomposition_of(const Config& config, const Topology& topology);

/// A record with what is known of a run before it has a back end.
RunRecord started_record(const Config& config, const Topology& topology, const Decomposition& decomposition, int thread_level);

/// From the deck's comm section and what `record` says of the devices, of rank `rank`'s among them.
ExchangeOptions exchange_options(const Config& config, const RunRecord& record, int rank);

/// Collective. Depths, rung, edges, blocks and memory of an exchange, into the record.
void record_exchange(const Topology& topology, const Decomposition& decomposition, const HaloExchange& exchange,
                     RunRecord& record);

/// Collective, after prepare(). How passes walk blocks and where that came from, into the record.
void record_plan(const Topology& topology, const Backend& backend, RunRecord& record);

/// Collective, before prepare(): all ranks' copy bandwidth together while all of them copy, 10^9 bytes a second.
double measure_copy_gbs(HaloExchange& exchange, double seconds);

/// Collective. Digest of the whole field in the exchange's current generation.
std::uint64_t field_digest(Backend& backend, const HaloExchange& exchange);

}  // namespace jacobi
