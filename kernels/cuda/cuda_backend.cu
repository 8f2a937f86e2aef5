// The CUDA back end: one rank's block on one GPU.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "cuda_backend.hpp"
#include "fill.cuh"
#include "handles.hpp"
#include "launch.cuh"
#include "reduce.cuh"
#include "shell.hpp"
#include "sweep.cuh"

namespace jacobi {
namespace cuda {
namespace {

constexpr int reduce_threads = 256;

/// Event pairs around the kernels of one pass a batch: enough to tell people where the time goes, too few to cost any.
struct PassSample {
    static constexpr Index sampled_pass = 2;  // by then the pipeline of a batch is full
    std::array<Event, 4> marks;               // boundary begin, end; interior begin, end
    Index pass = 0;
    bool boundary = false, interior = false;  // recorded in this batch
};

template <class T>
class CudaBackend final : public CudaBackendBase {
 public:
    explicit CudaBackend(int ordinal) : ordinal_(ordinal) {
        JACOBI_CUDA(cudaSetDevice(ordinal));
        JACOBI_CUDA(cudaGetDeviceProperties(&properties_, ordinal));
        int least = 0, greatest = 0;
        JACOBI_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        // Without the priority the boundary's blocks queue behind the interior's and neighbours wait a whole sweep.
        boundary_stream_ = make_stream(greatest);
        interior_stream_ = make_stream(least);
        for (auto& event : boundary_done_) event = make_event(cudaEventDisableTiming);
        for (auto& event : interior_done_) event = make_event(cudaEventDisableTiming);
        for (auto& event : sample_.marks) event = make_event(cudaEventDefault);
        result_ = DeviceBuffer<std::uint64_t>(2);
    }

    std::string name() const override { return "cuda"; }
    std::string device_name() const override { return properties_.name; }
    cudaStream_t boundary_stream() const override { return boundary_stream_.get(); }

    void zero(void* target, std::size_t bytes) override {
        JACOBI_CUDA(cudaMemsetAsync(target, 0, bytes, boundary_stream_.get()));
        synchronise();
    }
    void store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) override {
        pattern_kernel<<<1, 32, 0, boundary_stream_.get()>>>(target, seed, static_cast<unsigned>(words));
        JACOBI_CUDA(cudaGetLastError());
        synchronise();
    }
    void read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) override {
        JACOBI_CUDA(cudaMemcpyAsync(host, source, words * sizeof *host, cudaMemcpyDeviceToHost, boundary_stream_.get()));
        synchronise();
    }

    double copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) override {
        using Clock = std::chrono::steady_clock;
        JACOBI_CUDA(cudaMemsetAsync(a, 1, bytes, boundary_stream_.get()));
        JACOBI_CUDA(cudaMemsetAsync(b, 1, bytes, boundary_stream_.get()));
        synchronise();
        const Event begin = make_event(cudaEventDefault), end = make_event(cudaEventDefault);
        const auto stop = Clock::now() + std::chrono::duration<double>(seconds);
        double elapsed = 0;
        int copies = 0;
        do {
            // Several copies between two events, so that launch gaps do not show on small blocks.
            constexpr int at_a_time = 8;
            JACOBI_CUDA(cudaEventRecord(begin.get(), boundary_stream_.get()));
            for (int i = 0; i < at_a_time; ++i) {
                JACOBI_CUDA(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, boundary_stream_.get()));
            }
            JACOBI_CUDA(cudaEventRecord(end.get(), boundary_stream_.get()));
            synchronise();
            float milliseconds = 0;
            JACOBI_CUDA(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
            elapsed += milliseconds * 1e-3;
            copies += at_a_time;
        } while (Clock::now() < stop);
        return 2.0 * static_cast<double>(bytes) * copies / elapsed;
    }

    void setup(const BlockSetup& setup) override {
        setup_ = setup;
        for (const Index n : setup.layout.extent) {
            if (n > std::numeric_limits<int>::max() - 1024)
                throw Error("a block of 2^31 cells along one axis does not fit this back end");
        }
        std::array<bool, face_count> connected{};
        for (int f = 0; f < face_count; ++f) connected[f] = setup_.targets[f].active();
        pushes_ = std::any_of(connected.begin(), connected.end(), [](bool c) { return c; });
        const Shell shell = split_shell(setup.layout.extent, connected, static_cast<Index>(row_alignment / sizeof(T)));
        boundary_ = {};
        for (const Box& box : shell.boundary) boundary_.box[boundary_.count++] = range_of(box);
        interior_ = range_of(shell.interior);
        coefficients_ = coefficients<T>(setup.problem.grid);
        fill();
    }

    void boundary(Generation g) override {
        // Rule: boundary(g) reads interior cells that interior(g - 1) wrote.
        JACOBI_CUDA(cudaStreamWaitEvent(boundary_stream_.get(), interior_done_[(g + 1) & 1].get(), 0));
        mark(0, boundary_stream_.get());
        if (boundary_.count > 0) {
            launch_boundary(args(g), boundary_, targets(g + 1), properties_.multiProcessorCount, boundary_stream_.get());
        }
        mark(1, boundary_stream_.get());
        JACOBI_CUDA(cudaEventRecord(boundary_done_[g & 1].get(), boundary_stream_.get()));
    }
    void interior(Generation g) override {
        // Rule: interior(g) reads boundary cells that boundary(g - 1) wrote; boundary(g) may run beside it.
        JACOBI_CUDA(cudaStreamWaitEvent(interior_stream_.get(), boundary_done_[(g + 1) & 1].get(), 0));
        mark(2, interior_stream_.get());
        launch_march(args(g), interior_, PushTargets<T>{}, false, interior_stream_.get());
        mark(3, interior_stream_.get());
        JACOBI_CUDA(cudaEventRecord(interior_done_[g & 1].get(), interior_stream_.get()));
        ++sample_.pass;
    }
    void whole(Generation g) override {
        mark(2, boundary_stream_.get());
        launch_march(args(g), range_of({{0, 0, 0}, setup_.layout.extent}), targets(g + 1), pushes_, boundary_stream_.get());
        mark(3, boundary_stream_.get());
        ++sample_.pass;
    }
    bool done(bool boundary_only) override { return idle(boundary_stream_) && (boundary_only || idle(interior_stream_)); }

    double residual_max(Generation g) override {
        const auto [nx, ny, nz] = ints(setup_.layout.extent);
        const std::uint64_t bits = reduce([&](unsigned blocks, cudaStream_t stream) {
            residual_max_kernel<<<blocks, reduce_threads, 0, stream>>>(args(g), nx, ny, nz, result_.get());
        })[0];
        return std::bit_cast<double>(bits);
    }
    FixedSum residual_square_sum(Generation g, const FixedScale& scale) override {
        const auto [nx, ny, nz] = ints(setup_.layout.extent);
        const auto limbs = reduce([&](unsigned blocks, cudaStream_t stream) {
            residual_sum_kernel<<<blocks, reduce_threads, 0, stream>>>(args(g), nx, ny, nz, scale.first, scale.second,
                                                                       result_.get());
        });
        return {limbs[0], limbs[1]};
    }
    std::uint64_t digest(Generation g) override {
        const auto [nx, ny, nz] = ints(setup_.layout.extent);
        return reduce([&](unsigned blocks, cudaStream_t stream) {
            digest_kernel<<<blocks, reduce_threads, 0, stream>>>(field(g), setup_.layout.pitch, setup_.layout.plane, nx, ny, nz,
                                                                 setup_.problem.grid, setup_.block.lo, result_.get());
        })[0];
    }

    void read_planes(Generation g, Index z0, Index z1, void* host) override {
        copy_planes(host, packed_rows(), field(g), field_rows(), z0, z1, cudaMemcpyDeviceToHost, true);
    }
    void write_planes(Generation g, Index z0, Index z1, const void* host) override {
        copy_planes(field(g), field_rows(), const_cast<void*>(host), packed_rows(), z0, z1, cudaMemcpyHostToDevice, false);
    }

    PhaseTimes take_phase_times() override {
        PhaseTimes times;
        const auto elapsed = [&](int from) {
            float milliseconds = 0;
            JACOBI_CUDA(cudaEventElapsedTime(&milliseconds, sample_.marks[from].get(), sample_.marks[from + 1].get()));
            return milliseconds * 1e-3;
        };
        if (sample_.boundary) times.boundary = elapsed(0);
        if (sample_.interior) times.interior = elapsed(2);
        times.passes = sample_.interior ? 1 : 0;
        sample_.boundary = sample_.interior = false;
        sample_.pass = 0;
        return times;
    }

 private:
    static bool idle(const Stream& stream) {
        const cudaError_t status = cudaStreamQuery(stream.get());
        if (status == cudaErrorNotReady) return false;
        check(status, "cudaStreamQuery");
        return true;
    }
    void synchronise() {
        JACOBI_CUDA(cudaStreamSynchronize(interior_stream_.get()));
        JACOBI_CUDA(cudaStreamSynchronize(boundary_stream_.get()));
    }

    static Range range_of(const Box& box) {
        Range r{};
        for (int a = 0; a < 3; ++a) r.lo[a] = static_cast<int>(box.lo[a]), r.hi[a] = static_cast<int>(box.hi[a]);
        return r;
    }
    static std::array<int, 3> ints(const Index3& n) {
        return {static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])};
    }

    /// Cell (0, 0, 0) of generation g.
    T* field(Generation g) const { return reinterpret_cast<T*>(setup_.fields[g & 1]) + setup_.layout.origin; }

    SweepArgs<T> args(Generation g) const {
        const auto& c = coefficients_;
        const T* b = rhs_.get() != nullptr ? rhs_.get() + setup_.layout.origin : nullptr;
        return {field(g), field(g + 1), b, setup_.layout.pitch, setup_.layout.plane, c.cx, c.cy, c.cz, c.diag};
    }
    PushTargets<T> targets(Generation g) const {
        PushTargets<T> to{};
        for (int f = 0; f < face_count; ++f) {
            const HaloTarget& target = setup_.targets[f];
            to.origin[f] = reinterpret_cast<T*>(target.origin[g & 1]);
            to.pitch[f] = target.pitch;
            to.plane[f] = target.plane;
        }
        for (int a = 0; a < 3; ++a) to.last[a] = static_cast<int>(setup_.layout.extent[a] - 1);
        return to;
    }

    void mark(int index, cudaStream_t stream) {
        if (sample_.pass != PassSample::sampled_pass) return;
        JACOBI_CUDA(cudaEventRecord(sample_.marks[index].get(), stream));
        (index < 2 ? sample_.boundary : sample_.interior) = true;
    }

    void fill() {
        const Problem& problem = setup_.problem;
        const FieldLayout& layout = setup_.layout;
        std::array<DeviceBuffer<double>, 3> factors;  // only the set-up kernels read them
        for (int axis = 0; axis < 3; ++axis) {
            const auto table = axis_factors(problem, axis);
            factors[axis] = DeviceBuffer<double>(table.size());
            JACOBI_CUDA(cudaMemcpyAsync(factors[axis].get(), table.data(), table.size() * sizeof(double), cudaMemcpyHostToDevice,
                                        boundary_stream_.get()));
            synchronise();  // the table is pageable and goes out of scope
        }
        const Index3& n = problem.grid.cells;
        FillArgs a{};
        a.problem = {problem.kind,
                     n[0],
                     n[1],
                     n[2],
                     factors[0].get(),
                     factors[1].get(),
                     factors[2].get(),
                     poisson_kappa(problem),
                     coefficients_.diag_full,
                     problem.seed};
        for (int axis = 0; axis < 3; ++axis) {
            a.lo[axis] = setup_.block.lo[axis];
            a.extent[axis] = static_cast<int>(layout.extent[axis]);
            a.periodic[axis] = problem.grid.periodic[axis];
        }
        for (int f = 0; f < face_count; ++f) a.faces[f] = problem.faces[f];
        a.halo = layout.halo;
        a.pitch = layout.pitch;
        a.plane = layout.plane;
        const unsigned blocks = reduce_blocks();
        fill_kernel<T>
            <<<blocks, reduce_threads, 0, boundary_stream_.get()>>>(a, field(0), field(1), std::numeric_limits<T>::quiet_NaN());
        JACOBI_CUDA(cudaGetLastError());
        if (problem.has_rhs()) {
            rhs_ = DeviceBuffer<T>(layout.bytes / sizeof(T));
            rhs_kernel<T><<<blocks, reduce_threads, 0, boundary_stream_.get()>>>(a, rhs_.get() + layout.origin);
            JACOBI_CUDA(cudaGetLastError());
        }
        synchronise();
    }

    unsigned reduce_blocks() const { return static_cast<unsigned>(properties_.multiProcessorCount) * 8; }

    /// Runs a reduction kernel on everything enqueued so far and fetches its two words.
    template <class Launch>
    std::array<std::uint64_t, 2> reduce(Launch&& launch) {
        cudaStream_t stream = boundary_stream_.get();
        JACOBI_CUDA(cudaStreamSynchronize(interior_stream_.get()));
        JACOBI_CUDA(cudaMemsetAsync(result_.get(), 0, 2 * sizeof(std::uint64_t), stream));
        launch(reduce_blocks(), stream);
        JACOBI_CUDA(cudaGetLastError());
        std::array<std::uint64_t, 2> words;
        read_words(words.data(), result_.get(), words.size());
        return words;
    }

    /// Strides in bytes of a stack of rows.
    struct Rows {
        std::size_t pitch, plane;
    };
    Rows packed_rows() const {
        const std::size_t row = setup_.layout.extent[0] * sizeof(T);
        return {row, row * setup_.layout.extent[1]};
    }
    Rows field_rows() const { return {setup_.layout.pitch * sizeof(T), setup_.layout.plane * sizeof(T)}; }

    void copy_planes(void* to, Rows to_rows, void* from, Rows from_rows, Index z0, Index z1, cudaMemcpyKind kind,
                     bool from_field) {
        auto* target = static_cast<char*>(to) + (from_field ? 0 : to_rows.plane * z0);
        auto* source = static_cast<char*>(from) + (from_field ? from_rows.plane * z0 : 0);
        for (Index z = z0; z < z1; ++z, target += to_rows.plane, source += from_rows.plane) {
            JACOBI_CUDA(cudaMemcpy2DAsync(target, to_rows.pitch, source, from_rows.pitch, packed_rows().pitch,
                                          static_cast<std::size_t>(setup_.layout.extent[1]), kind, boundary_stream_.get()));
        }
        synchronise();
    }

    int ordinal_;
    cudaDeviceProp properties_{};
    Stream boundary_stream_, interior_stream_;
    // By parity of the pass: a wait binds to the latest record at the time of the call, so interior(g), enqueued after
    // boundary(g), must not name the event that boundary(g) has just recorded.
    std::array<Event, 2> boundary_done_, interior_done_;
    PassSample sample_;
    DeviceBuffer<std::uint64_t> result_;
    DeviceBuffer<T> rhs_;
    BlockSetup setup_;
    BoundaryBoxes boundary_{};
    Range interior_{};
    bool pushes_ = false;
    Coefficients<T> coefficients_{};
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Backend> make_cuda_backend(Precision precision, int ordinal) {
    if (precision == Precision::float64) return std::make_unique<cuda::CudaBackend<double>>(ordinal);
    return std::make_unique<cuda::CudaBackend<float>>(ordinal);
}

}  // namespace jacobi
