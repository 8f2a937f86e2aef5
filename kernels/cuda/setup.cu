// The CUDA back end: device, memory, set-up.
#include <algorithm>
#include <limits>

#include "backend_state.cuh"
#include "fill.cuh"

namespace jacobi {
namespace cuda {

template <class T>
CudaBackend<T>::CudaBackend(int ordinal, int sharers, const Plans& plans) : device_(ordinal), sharers_(sharers), plans_(plans) {
    JACOBI_CUDA(cudaGetDeviceProperties(&properties_, ordinal));
    int least = 0, greatest = 0;
    JACOBI_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    // Without the priority the boundary's blocks queue behind the interior's and neighbours wait a whole sweep.
    boundary_stream_ = make_stream(greatest);
    interior_stream_ = make_stream(least);
    for (auto& event : boundary_done_) event = make_event(cudaEventDisableTiming);
    for (auto& event : interior_done_) event = make_event(cudaEventDisableTiming);
    joined_ = make_event(cudaEventDisableTiming);
    result_ = DeviceBuffer<std::uint64_t>(2);
}

template <class T>
std::optional<std::uint64_t> CudaBackend<T>::free_memory() const {
    std::size_t free_bytes = 0, total = 0;
    JACOBI_CUDA(cudaMemGetInfo(&free_bytes, &total));
    return free_bytes;
}

template <class T>
void CudaBackend<T>::zero(void* target, std::size_t bytes) {
    JACOBI_CUDA(cudaMemsetAsync(target, 0, bytes, boundary_stream_.get()));
    synchronise();
}

template <class T>
void CudaBackend<T>::store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) {
    pattern_kernel<<<1, 32, 0, boundary_stream_.get()>>>(target, seed, static_cast<unsigned>(words));
    JACOBI_CUDA(cudaGetLastError());
    synchronise();
}

template <class T>
void CudaBackend<T>::read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) {
    JACOBI_CUDA(cudaMemcpyAsync(host, source, words * sizeof *host, cudaMemcpyDeviceToHost, boundary_stream_.get()));
    synchronise();
}

template <class T>
bool CudaBackend<T>::launch_bound(const FieldLayout& layout) const {
    // Both buffers fit the L2: a pass takes some microseconds.
    return 2 * layout.bytes < static_cast<std::size_t>(properties_.l2CacheSize);
}

template <class T>
void CudaBackend<T>::setup(const BlockSetup& setup) {
    setup_ = setup;
    for (const Index n : setup.layout.extent) {
        if (n > std::numeric_limits<int>::max() - 1024)
            throw Error("a block of 2^31 cells along one axis does not fit this back end");
    }
    small_ = launch_bound(setup.layout);
    // Not small ones: they are captured in graphs, where such launches are slower (kernels/README.md).
    early_ = !small_ && waits_in_front(fill_kernel<T>);
    coefficients_ = coefficients<T>(setup.problem.grid);
    if (setup.problem.has_rhs()) rhs_ = DeviceBuffer<T>(setup.layout.bytes / sizeof(T));
    temporal() ? plan_temporal_passes() : plan_march();  // measure with both buffers, so before they are filled
    fill();
}

template <class T>
void CudaBackend<T>::fill() {
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
    a.x_apart = layout.apart();
    for (int f = 0; f < 2; ++f) {
        a.x_halo[f] = layout.x_halo(f);
        a.x_halo[f].first -= layout.origin;
    }
    const unsigned blocks = reduce_blocks();
    fill_kernel<T>
        <<<blocks, reduce_threads, 0, boundary_stream_.get()>>>(a, field(0), field(1), std::numeric_limits<T>::quiet_NaN());
    JACOBI_CUDA(cudaGetLastError());
    if (problem.has_rhs()) {
        rhs_kernel<T><<<blocks, reduce_threads, 0, boundary_stream_.get()>>>(a, rhs_.get() + layout.origin);
        JACOBI_CUDA(cudaGetLastError());
    }
    synchronise();
}

template <class T>
void CudaBackend<T>::use_flags(const FlagLinks& links) {
    state_ = DeviceBuffer<FlagState>(1);
    JACOBI_CUDA(cudaMemsetAsync(state_.get(), 0, sizeof(FlagState), boundary_stream_.get()));
    failed_wait_ = MappedValue<FailedWait>::make();
    flags_ = flag_args(links, state_.get(), failed_wait_.device());
    flagged_ = true;
    raises_ =
        std::any_of(links.links.begin(), links.links.end(), [](const FlagLinks::Link& link) { return link.there != nullptr; });
    unraised_ = false;
    use_tiles(links);
    synchronise();
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace cuda

std::unique_ptr<Backend> make_cuda_backend(Precision precision, int ordinal, int sharers, const Plans& plans) {
    if (precision == Precision::float64) return std::make_unique<cuda::CudaBackend<double>>(ordinal, sharers, plans);
    return std::make_unique<cuda::CudaBackend<float>>(ordinal, sharers, plans);
}

}  // namespace jacobi
