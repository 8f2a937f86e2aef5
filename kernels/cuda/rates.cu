// The CUDA back end: what this device and its links can do, measured before a run.
#include <algorithm>

#include "backend_state.cuh"
#include "probe_kernels.hpp"
#include "stopwatch.hpp"

namespace jacobi::cuda {

namespace {

/// One block of a warp.
__global__ void flag_rounds_kernel(const FlagArgs flags, const Generation first, const int rounds,
                                   unsigned long long* nanoseconds) {
    unsigned long long begin = 0;
    for (Generation g = first + 1; g <= first + rounds; ++g) {
        if (threadIdx.x < static_cast<unsigned>(flags.count)) store_release_system(flags.there[threadIdx.x], g);
        if (!await_flags(flags, g, threadIdx.x)) return;
        if (g == first + 1) begin = global_nanoseconds();  // everybody is here: the first round waited for the others' launch
    }
    if (threadIdx.x == 0) *nanoseconds = global_nanoseconds() - begin;
}

}  // namespace

template <class T>
double CudaBackend<T>::copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) {
    cudaStream_t stream = boundary_stream_.get();
    JACOBI_CUDA(cudaMemsetAsync(a, 1, bytes, stream));
    JACOBI_CUDA(cudaMemsetAsync(b, 1, bytes, stream));
    synchronise();
    const double each =
        mean_seconds(stream, seconds, [&] { JACOBI_CUDA(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream)); });
    return 2.0 * static_cast<double>(bytes) / each;
}

template <class T>
double CudaBackend<T>::store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) {
    // A face takes microseconds: a launch stores it as often as makes some megabytes, or it would be the launch that is measured.
    constexpr std::size_t enough = std::size_t{8} << 20;
    const int times = static_cast<int>(std::clamp<std::size_t>(enough / rows.bytes(), 2, 1024));
    const double each =
        mean_seconds(boundary_stream_.get(), seconds, [&] { store_rows(to, rows, 0, times, boundary_stream_.get()); });
    return static_cast<double>(rows.bytes()) * times / each;
}

template <class T>
FlagRounds CudaBackend<T>::flag_rounds(const FlagLinks& links, Generation first, int rounds) {
    const DeviceBuffer<FlagState> state(1);
    const auto failed = MappedValue<FailedWait>::make();
    const auto nanoseconds = MappedValue<unsigned long long>::make();
    cudaStream_t stream = boundary_stream_.get();
    JACOBI_CUDA(cudaMemsetAsync(state.get(), 0, sizeof(FlagState), stream));
    flag_rounds_kernel<<<1, 32, 0, stream>>>(flag_args(links, state.get(), failed.device()), first, rounds, nanoseconds.device());
    JACOBI_CUDA(cudaGetLastError());
    JACOBI_CUDA(cudaStreamSynchronize(stream));  // bounded: its waits are
    FlagRounds result;
    result.timeout = timeout_of(*failed.host());
    result.seconds = static_cast<double>(*nanoseconds.host()) * 1e-9 / std::max(1, rounds - 1);
    return result;
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
