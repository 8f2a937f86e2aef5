#include "halo_exchange.hpp"

#include <fmt/format.h>

#include "sync/flag_links.hpp"

namespace jacobi {

namespace {

ArenaLayout arena_layout(const Box& block, Precision precision, int halo, const Backend& backend, bool with_fields = true) {
    return ArenaLayout(FieldLayout(block.extent(), halo, bytes_of(precision), backend.x_faces()), with_fields);
}

/// Local cell (x, y, z) of the layers next to the neighbour in `e`'s direction is the neighbour's halo cell (x, y, z) minus the
/// neighbour's place relative to this block: the returned origin has that translation in it.
HaloTarget halo_target(const Edge& e, const Index3& own, const ArenaLayout& there) {
    HaloTarget target;
    target.pitch = there.field.pitch;
    target.plane = there.field.plane;
    const auto offset = e.direction.offset();
    Index shift[3];
    // Towards a + neighbour: its cell 0 is this block's cell `extent`. Towards a - neighbour: its cell `its extent` is this
    // block's cell 0.
    for (int a = 0; a < 3; ++a) shift[a] = offset[a] > 0 ? -own[a] : offset[a] < 0 ? there.field.extent[a] : 0;
    Index element = there.field.at(shift[0], shift[1], shift[2]);
    if (there.field.apart() && offset[0] != 0) {  // one layer, so faces only: of x there is one value
        const XHalo halo = there.field.x_halo(offset[0] > 0 ? 0 : 1);
        target.pitch = halo.pitch;
        target.plane = halo.plane;
        element = halo.first - (offset[0] > 0 ? own[0] - 1 : 0);
    }
    for (int p = 0; p < 2; ++p) {
        target.origin[p] = e.peer + there.fields[p] + element * static_cast<Index>(there.field.element);
    }
    return target;
}

}  // namespace

HaloExchange::HaloExchange(const Topology& topology, const Decomposition& decomposition, Backend& backend, const Problem& problem,
                           Precision precision, const ExchangeOptions& options)
    : topology_(topology),
      decomposition_(decomposition),
      backend_(backend),
      options_(options),
      precision_(precision),
      rhs_(problem.has_rhs()),
      depths_(choose_depths(
          topology, decomposition, backend, problem.has_rhs(),
          {options.temporal_depth, options.halo_depth, options.sync,
           backend.launch_bound(FieldLayout(decomposition.block(topology.rank()).extent(), 1, bytes_of(precision)))})),
      layout_(arena_layout(decomposition.block(topology.rank()), precision, depths_.halo, backend, !options.without_fields)),
      memory_(allocate()),
      board_(topology) {
    // Counters, probes and mailboxes start at zero before anybody learns the address.
    backend_.zero(memory_->own(), layout_.zeroed_bytes());
    try {
        edges_ = connect_edges(topology, decomposition, layout_, *memory_, backend_, options.transport);
        // Messages of a dry run, which are never sent, are of blocks as small as any.
        const Index h = depths_.halo;
        const FieldLayout sent = options.without_fields ? FieldLayout({h, h, h}, h, layout_.field.element) : layout_.field;
        messages_ = make_messages({topology_, edges_, backend_, board_, sent, options.device_sharers, options.timeout_s});
        for (Edge& e : edges_) {
            if (e.message()) e.reason += "; " + messages_->how();
        }
        rung_ = choose_rung(options.sync, sync_context());
    } catch (const Error& error) {
        // All ranks are here: what they hold goes back, so that a caller can go on with what is not refused.
        if (error.collective()) release();
        throw;
    }

    setup_.problem = problem;
    setup_.block = decomposition.block(topology.rank());
    setup_.layout = layout_.field;
    setup_.temporal_depth = depths_.temporal;
    setup_.messages = messages_ != nullptr;
    for (int p = 0; p < 2; ++p) setup_.fields[p] = memory_->own() + layout_.fields[p];
    for (const Edge& e : edges_) {
        setup_.targets[static_cast<std::size_t>(e.direction.code)] =
            e.message() ? messages_->target(e)
                        : halo_target(e, layout_.field.extent, layout_.with(decomposition.block(e.neighbour).extent()));
    }
}

std::vector<MemoryNeed> HaloExchange::memory_needs() const {
    const std::uint64_t arena = arena_bytes(decomposition_.block(topology_.rank()));
    return jacobi::memory_needs(topology_, backend_, arena, rhs_ ? arena / 2 : 0, options_.own_device_sharers);
}

std::unique_ptr<PeerMemory> HaloExchange::allocate() const {
    // All ranks refuse together what one of them has no room for: an allocation that fails is one rank's error, which ends the
    // job, and memory that the system has promised but does not have ends the process without a word.
    for (const MemoryNeed& need : layout_.holds_fields ? memory_needs() : std::vector<MemoryNeed>{}) {
        if (need.fits() || need.kind.starts_with("shared")) continue;  // a window says more
        throw Error(
            fmt::format("no room for the fields: they need {}. Use fewer cells a rank, fewer halo layers, precision: float "
                        "or more machines (--dry-run shows what is needed)",
                        need.text()),
            Exit::failure, true);
    }
#if defined(JACOBI_WITH_CUDA)
    if (backend_.name() == "cuda") return make_ipc_memory(layout_);
#endif
    return make_shared_window(topology_, layout_);
}

std::size_t HaloExchange::arena_bytes(const Box& block) const {
    return arena_layout(block, precision_, depths_.halo, backend_).bytes;
}

double HaloExchange::measure_copy_bandwidth(double seconds) {
    const std::size_t bytes = layout_.field.bytes / 4096 * 4096;
    return bytes == 0 ? 0 : backend_.copy_bandwidth(setup_.fields[1], setup_.fields[0], bytes, seconds);
}

SyncContext HaloExchange::sync_context() {
    return {topology_,
            decomposition_,
            edges_,
            backend_,
            *memory_,
            board_,
            messages_.get(),
            layout_,
            backend_.launch_bound(layout_.field),
            depths_.temporal,
            options_.overlap,
            options_.device_sharers,
            options_.multi_process_service,
            options_.force,
            options_.timeout_s};
}

PeerRates HaloExchange::measure_peer_rates() {
    return jacobi::measure_peer_rates(topology_, decomposition_, edges_, layout_, *memory_, backend_,
                                      waiting_kernels_fault(sync_context()), options_.timeout_s);
}

void HaloExchange::prepare() {
    backend_.setup(setup_);
    for (const std::string& fault : gather_texts(topology_.world.get(), backend_.plan_origin().refusal)) {
        if (fault.empty()) continue;
        release();
        throw Error(fault, Exit::failure, true);
    }
    rung_.synchroniser->start();
    if (messages_ != nullptr) messages_->start();
    memory_->fence();
    // Rule: both buffers and the halos of generation 0 are in place on every rank before anyone stores into a neighbour.
    MPI_Barrier(topology_.world.get());
    memory_->fence();
}

void HaloExchange::advance(Index sweeps) {
    const Index full = sweeps / depths_.temporal, rest = sweeps % depths_.temporal;
    for (const auto& [passes, depth] : {std::pair{full, depths_.temporal}, {Index{rest > 0 ? 1 : 0}, static_cast<int>(rest)}}) {
        if (passes == 0) continue;
        rung_.synchroniser->advance(generation_, passes, depth);
        generation_ += passes;
    }
    iteration_ += sweeps;
    wait_done();
}

void HaloExchange::wait_done() {
    // A wait inside a kernel has the same limit and knows more: it gets a head start.
    const double limit = options_.timeout_s + 2;
    const auto done = [&] {
        if (backend_.done(false)) return true;
        if (messages_ != nullptr) messages_->check();
        return false;
    };
    wait_until(done, limit, topology_.poll, [&] { return board_.describe_stall(edges_, generation_, limit); });
    rung_.synchroniser->check();
}

void HaloExchange::make_halos_readable() {
    rung_.synchroniser->make_readable(generation_);
    wait_done();
}

void HaloExchange::close() {
    wait_done();
    release();
}

void HaloExchange::release() {
    if (messages_ != nullptr) messages_->close(generation_);
    MPI_Barrier(topology_.world.get());
    memory_->close_peers();
    MPI_Barrier(topology_.world.get());
    memory_->free();
    board_.close();
}

}  // namespace jacobi
