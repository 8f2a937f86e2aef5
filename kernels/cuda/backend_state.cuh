// The CUDA back end's class: one rank's block on one GPU. Its members are defined by subject in setup.cu, passes.cu,
// messages.cu, march.cu, temporal.cu, plan_key.cu, persistent.cu, resident.cu, rates.cu and inspect.cu.
#pragma once

#include "cuda_backend.hpp"
#include "handles.hpp"
#include "march_launch.cuh"
#include "pass_graph.hpp"
#include "pass_sample.hpp"
#include "persistent_tiles.cuh"
#include "stopwatch.hpp"
#include "sweep.cuh"
#include "temporal_launch.cuh"

namespace jacobi::cuda {

template <class T>
class CudaBackend final : public CudaBackendBase {
 public:
    // setup.cu
    CudaBackend(int ordinal, int sharers, const Plans& plans);
    std::string name() const override { return "cuda"; }
    std::string device_name() const override { return properties_.name; }
    cudaStream_t boundary_stream() const override { return boundary_stream_.get(); }
    void zero(void* target, std::size_t bytes) override;
    void store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) override;
    std::optional<std::uint64_t> free_memory() const override;
    void read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) override;
    bool launch_bound(const FieldLayout& layout) const override;
    XFaces x_faces() const override { return XFaces::apart; }
    void setup(const BlockSetup& setup) override;
    void use_flags(const FlagLinks& links) override;

    // passes.cu
    std::string pass_shape() const override;
    PlanOrigin plan_origin() const override { return plan_origin_; }
    bool boundary_apart() const override { return temporal() || apart_; }
    void boundary(Generation g, int depth) override;
    void interior(Generation g, int depth) override;
    void whole(Generation g, int depth) override;
    void flagged_passes(Generation g, Index passes, int depth) override;
    void await_flags(Generation g) override;
    bool done(bool boundary_only) override;

    // messages.cu
    std::shared_ptr<std::byte> message_memory(std::size_t bytes, bool on_device) override;
    void store_halos(Generation g, const std::vector<PackedHalo>& halos) override;

    // temporal.cu
    DepthLimits depth_limits(const Index3& extent, bool rhs) const override;

    // persistent.cu
    TileLimits tile_limits() const override;
    bool tiles_stay(const TileGrid& tiles) const override { return resident_launch(tiles).kernel != nullptr; }
    void persistent_passes(Generation g, Index passes, int depth) override;
    void await_tiles(Generation g) override;

    // rates.cu
    double copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) override;
    double store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) override;
    FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds) override;

    // inspect.cu
    double residual_max(Generation g) override;
    FixedSum residual_square_sum(Generation g, const FixedScale& scale) override;
    std::uint64_t digest(Generation g) override;
    void read_planes(Generation g, Index z0, Index z1, void* host) override;
    void write_planes(Generation g, Index z0, Index z1, const void* host) override;
    PhaseTimes take_phase_times() override { return sample_.take(); }
    std::optional<FlagTimeout> flag_timeout() override;

 private:
    void synchronise();
    void fill();
    PlanKey plan_key() const;  // plan_key.cu
    void plan_march();         // march.cu, as what has march in its name
    Plan measure_march();
    bool use_march(const Plan& plan);
    void use_tiles(const FlagLinks& links);
    PersistentLaunch resident_launch(const TileGrid& tiles) const;
    std::vector<ResidentKernel> resident_kernels() const;  // resident.cu
    void make_room(Generation g);
    bool temporal() const { return setup_.depth() > 1; }  ///< passes go through temporal.cu
    bool x_neighbours() const { return setup_.face(0).active() || setup_.face(1).active(); }
    enum class Part { boundary, interior, whole };
    void march_touching_tiles(Generation g, bool all, cudaStream_t stream);
    void march_in_order(Generation g, cudaStream_t stream);
    void left_to_raise(Generation g);
    void raise(Generation g);
    void march_pass(Generation g, Part part, cudaStream_t stream);
    PushTargets<T> push_targets(Generation g) const;
    void pass(Generation g, int depth, Part part, cudaStream_t stream);
    template <class Work>
    double seconds_of(Work&& work, int more = 1);
    TouchingBlocks behind_others(const TemporalLaunch<T>& launch) const;
    void temporal_pass(Generation g, int depth, Part part, cudaStream_t stream);
    void plan_temporal_passes();
    Plan measure_temporal();
    bool use_temporal(const Plan& plan);
    TemporalBlock temporal_block() const;
    TemporalLaunch<T> temporal_launch(const TemporalShape<T>& shape, ZChunks chunks);
    std::vector<int> temporal_chunks(const TemporalShape<T>& shape, int count) const;
    TemporalArgs<T> temporal_args(Generation g) const;
    LayerTargets<T> layer_targets(Generation g) const;
    LayerTargets<T> own_layer_targets(Generation g) const;
    LayerTargets<T> with_shifts(LayerTargets<T> to, const T* out) const;
    void join_interior();
    template <class Launch>
    std::array<std::uint64_t, 2> reduce(Launch&& launch);

    /// Strides in bytes of a stack of rows.
    struct Rows {
        std::size_t pitch, plane;
    };
    Rows packed_rows() const;
    Rows field_rows() const { return {setup_.layout.pitch * sizeof(T), setup_.layout.plane * sizeof(T)}; }
    void copy_plane(void* to, Rows to_rows, const void* from, Rows from_rows, cudaMemcpyKind kind);

    unsigned reduce_blocks() const { return static_cast<unsigned>(properties_.multiProcessorCount) * 8; }
    /// Cell (0, 0, 0) of generation g.
    T* field(Generation g) const { return reinterpret_cast<T*>(setup_.fields[g & 1]) + setup_.layout.origin; }
    SweepArgs<T> args(Generation g) const;

    // First: what the members behind it create, they create on the device that is current (a stream or event of another
    // device is an invalid handle here).
    CurrentDevice device_;
    int sharers_;
    Plans plans_;
    PlanOrigin plan_origin_;
    cudaDeviceProp properties_{};
    Stream boundary_stream_, interior_stream_;
    // By parity of the pass: a wait binds to the latest record at the time of the call, so interior(g), enqueued after
    // boundary(g), must not name the event that boundary(g) has just recorded.
    std::array<Event, 2> boundary_done_, interior_done_;
    Event joined_;
    PassSample sample_;

    BlockSetup setup_;
    Coefficients<T> coefficients_{};
    DeviceBuffer<T> rhs_;
    DeviceBuffer<std::uint64_t> result_;
    // Passes of one sweep.
    MarchKernels<T> march_kernels_;
    MarchShape march_{};
    TouchingTiles touching_{};
    bool apart_ = true;  ///< tiles that touch a neighbour are launched apart from the others
    // Passes of several.
    std::vector<TemporalLaunch<T>> temporal_;  ///< by depth - 1

    bool small_ = false;  ///< launch_bound(layout)
    bool early_ = false;  ///< passes are launched early (early_launch.cuh)
    bool flagged_ = false;
    bool raises_ = false;    ///< flags_ name some that kernels raise
    bool unraised_ = false;  ///< the last pass has left raising to what comes behind it (left_to_raise)
    FlagArgs flags_{};
    DeviceBuffer<FlagState> state_;
    MappedValue<FailedWait> failed_wait_;
    PassGraph graph_;
    DeviceBuffer<Generation> tile_done_;
    DeviceBuffer<Tagged> tile_rims_;
    PersistentArgs<T> persistent_{};
    PersistentLaunch persistent_launch_;
};

// What more than one of the sources needs.

/// After the kernels that could have written it.
inline std::optional<FlagTimeout> timeout_of(const volatile FailedWait& wait) {
    if (wait.failed == 0) return std::nullopt;
    return FlagTimeout{{wait.direction}, wait.expected, wait.seen};
}

inline FlagArgs flag_args(const FlagLinks& links, FlagState* state, FailedWait* failed_wait) {
    FlagArgs flags{};
    for (const FlagLinks::Link& link : links.links) {
        flags.own[flags.count] = link.own;
        flags.there[flags.count] = link.there;
        flags.direction[flags.count++] = link.direction.code;
    }
    flags.timeout_ns = static_cast<unsigned long long>(links.timeout_s * 1e9);
    flags.state = state;
    flags.failed_wait = failed_wait;
    return flags;
}

template <class T>
void CudaBackend<T>::synchronise() {
    JACOBI_CUDA(cudaStreamSynchronize(interior_stream_.get()));
    JACOBI_CUDA(cudaStreamSynchronize(boundary_stream_.get()));
}

/// The boundary stream goes on behind everything on the interior stream.
template <class T>
void CudaBackend<T>::join_interior() {
    JACOBI_CUDA(cudaEventRecord(joined_.get(), interior_stream_.get()));
    JACOBI_CUDA(cudaStreamWaitEvent(boundary_stream_.get(), joined_.get(), 0));
}

/// Time of work(), which enqueues a pass on the boundary stream; for choosing between shapes of passes. `more`: so many times as
/// long as usual.
template <class T>
template <class Work>
double CudaBackend<T>::seconds_of(Work&& work, int more) {
    const int times = (small_ ? 16 : 2) * more;
    Stopwatch watch;
    work();
    watch.start(boundary_stream_.get());
    for (int i = 0; i < times; ++i) work();
    watch.stop(boundary_stream_.get());
    synchronise();
    return watch.seconds() / times;
}

template <class T>
SweepArgs<T> CudaBackend<T>::args(Generation g) const {
    const auto& c = coefficients_;
    const T* b = rhs_.get() != nullptr ? rhs_.get() + setup_.layout.origin : nullptr;
    SweepArgs<T> args{field(g), field(g + 1), b, setup_.layout.pitch, setup_.layout.plane, c.cx, c.cy, c.cz, c.diag, {}};
    for (int f = 0; f < 2; ++f) {
        XHalo halo = setup_.layout.x_halo(f);
        if (!setup_.face(f).active()) halo = {setup_.layout.at(f == 0 ? -1 : setup_.layout.extent[0], 0, 0), 0, 0};
        args.beyond_x[f] = {reinterpret_cast<const T*>(setup_.fields[g & 1]) + halo.first, halo.pitch, halo.plane};
    }
    args.beyond_x[2] = {nullptr, args.pitch, args.plane};
    return args;
}

}  // namespace jacobi::cuda
