#include "flags.cuh"
#include "handles.hpp"
#include "probe_kernels.hpp"

namespace jacobi::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_to_fill(std::size_t items) {
    int device = 0, multiprocessors = 1;
    JACOBI_CUDA(cudaGetDevice(&device));
    JACOBI_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const std::size_t needed = (items + threads - 1) / threads, most = std::size_t{8} * multiprocessors;
    return static_cast<unsigned>(needed < most ? needed : most);
}

/// StridedRows in units of one store.
struct UnitRows {
    std::byte* to[2];
    unsigned width, inner, total;  ///< units of a row; rows along the first count; units of all
    std::size_t pitch[2];          ///< bytes
};

__device__ void set_unit(ulonglong2& unit, std::uint64_t pattern, unsigned i) {
    unit = make_ulonglong2(pattern + 2ull * i, pattern + 2ull * i + 1);
}
__device__ void set_unit(std::uint64_t& unit, std::uint64_t pattern, unsigned i) { unit = pattern + i; }
__device__ void set_unit(std::uint32_t& unit, std::uint64_t pattern, unsigned i) {
    unit = static_cast<std::uint32_t>(pattern + i);
}

template <class Unit>
__global__ void store_kernel(const UnitRows rows, std::uint64_t pattern, int times) {
    for (int t = 0; t < times; ++t) {
        std::byte* const to = rows.to[t & 1];
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < rows.total; i += gridDim.x * blockDim.x) {
            const unsigned row = i / rows.width;
            std::byte* const at = to + row % rows.inner * rows.pitch[0] + row / rows.inner * rows.pitch[1];
            set_unit(reinterpret_cast<Unit*>(at)[i % rows.width], pattern, i);
        }
    }
}

template <class Unit>
void launch_store(const std::array<std::byte*, 2>& to, const StridedRows& rows, std::uint64_t pattern, int times,
                  cudaStream_t stream) {
    const std::size_t total = rows.bytes() / sizeof(Unit);
    if (total > 0x7fffffffu) throw Error("rows of more than 2^31 stores do not fit the probe kernel");
    const UnitRows units{{to[0], to[1]},
                         static_cast<unsigned>(rows.width / sizeof(Unit)),
                         static_cast<unsigned>(rows.count[0]),
                         static_cast<unsigned>(total),
                         {rows.pitch[0], rows.pitch[1]}};
    store_kernel<Unit><<<blocks_to_fill(total), threads, 0, stream>>>(units, pattern, times);
    JACOBI_CUDA(cudaGetLastError());
}

__global__ void count_kernel(const std::uint64_t* data, std::size_t words, std::uint64_t pattern, unsigned long long* wrong) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    unsigned long long mine = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
        mine += data[i] != pattern + i ? 1 : 0;
    }
    if (mine > 0) atomicAdd(wrong, mine);
}

/// The partner's flag once it is `least` or more; 0 when it does not come, with the reason in `result`.
__device__ std::int64_t await_flag(const PingPong& game, std::int64_t least, PingPongResult& result) {
    const unsigned long long begin = global_nanoseconds();
    for (unsigned spin = 1;; ++spin) {
        const std::int64_t seen = load_acquire_system(game.here);
        if (seen >= game.abandoned) {
            result.missing = least;
            result.partner_gave_up = 1;
            return 0;
        }
        if (seen >= least) return seen;
        if (spin % 64 == 0 && global_nanoseconds() - begin > game.limit_ns) {
            result.missing = least;
            store_release_system(game.there, game.abandoned);
            return 0;
        }
    }
}

__device__ void answer(const PingPong& game, PingPongResult& result) {
    for (std::int64_t seen = 0; seen < game.last;) {
        seen = await_flag(game, seen + 1, result);
        if (seen == 0) return;
        store_release_system(game.there, seen);
    }
}

__device__ void lead(const PingPong& game, PingPongResult& result) {
    std::int64_t flag = 1;
    store_release_system(game.there, flag);
    if (await_flag(game, flag, result) == 0) return;
    const unsigned long long begin = global_nanoseconds();
    do {
        store_release_system(game.there, ++flag);
        if (await_flag(game, flag, result) == 0) return;
        result.nanoseconds = global_nanoseconds() - begin;
        ++result.round_trips;
    } while (result.round_trips < game.most_trips && result.nanoseconds < game.enough_ns);
    store_release_system(game.there, game.last);
    await_flag(game, game.last, result);
}

__global__ void ping_pong_kernel(PingPong game, PingPongResult* out) {
    PingPongResult result{};
    if (game.leads) {
        lead(game, result);
    } else {
        answer(game, result);
    }
    *out = result;
}

}  // namespace

void store_rows(const std::array<std::byte*, 2>& to, const StridedRows& rows, std::uint64_t pattern, int times,
                cudaStream_t stream) {
    if (rows.width % sizeof(ulonglong2) == 0) {
        launch_store<ulonglong2>(to, rows, pattern, times, stream);
    } else if (rows.width % sizeof(std::uint64_t) == 0) {
        launch_store<std::uint64_t>(to, rows, pattern, times, stream);
    } else {
        launch_store<std::uint32_t>(to, rows, pattern, times, stream);
    }
}

void store_words(std::uint64_t* to, std::size_t words, std::uint64_t pattern, cudaStream_t stream) {
    auto* const bytes = reinterpret_cast<std::byte*>(to);
    store_rows({bytes, bytes}, {words * sizeof *to, {1, 1}, {0, 0}}, pattern, 1, stream);
}

void count_wrong_words(const std::uint64_t* data, std::size_t words, std::uint64_t pattern, unsigned long long* wrong,
                       cudaStream_t stream) {
    count_kernel<<<blocks_to_fill(words), threads, 0, stream>>>(data, words, pattern, wrong);
    JACOBI_CUDA(cudaGetLastError());
}

void ping_pong(const PingPong& game, PingPongResult* result, cudaStream_t stream) {
    ping_pong_kernel<<<1, 1, 0, stream>>>(game, result);
    JACOBI_CUDA(cudaGetLastError());
}

}  // namespace jacobi::cuda
