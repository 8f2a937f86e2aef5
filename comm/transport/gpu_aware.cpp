#include "gpu_aware.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <array>

namespace jacobi {

namespace {

constexpr std::size_t words = 16;

bool mpi_says_so() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

bool on_all_ranks(bool mine, const Topology& topology) {
    int all = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, topology.world.get());
    return all == 1;
}

/// Differs by writer and direction: a message that another one replaces is seen.
std::uint64_t pattern(int writer, Direction writers) {
    return mix64(static_cast<std::uint64_t>(writer) * Direction::count + static_cast<std::uint64_t>(writers.code));
}

bool patterns_pass(const MessageContext& c) {
    struct Trial {
        std::shared_ptr<std::byte> out, in;
    };
    std::vector<Trial> trials;
    std::vector<MPI_Request> requests;
    MPI_Comm world = c.topology.world.get();
    for (const Edge& e : c.edges) {
        if (!e.message()) continue;
        const std::size_t bytes = words * sizeof(std::uint64_t);
        Trial trial{c.backend.message_memory(bytes, true), c.backend.message_memory(bytes, true)};
        c.backend.store_pattern(reinterpret_cast<std::uint64_t*>(trial.out.get()), pattern(e.rank, e.direction), words);
        const std::size_t at = requests.size();
        requests.resize(at + 2);
        MPI_Irecv(trial.in.get(), words, MPI_UINT64_T, e.neighbour, e.direction.opposite().code, world, &requests[at]);
        MPI_Isend(trial.out.get(), words, MPI_UINT64_T, e.neighbour, e.direction.code, world, &requests[at + 1]);
        trials.push_back(std::move(trial));
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    bool right = true;
    std::size_t i = 0;
    for (const Edge& e : c.edges) {
        if (!e.message()) continue;
        std::array<std::uint64_t, words> seen{};
        c.backend.read_words(seen.data(), reinterpret_cast<const std::uint64_t*>(trials[i++].in.get()), words);
        for (std::size_t w = 0; w < words; ++w) right &= seen[w] == pattern(e.neighbour, e.direction.opposite()) + w;
    }
    return right;
}

}  // namespace

GpuAware prove_gpu_aware(const MessageContext& c) {
    if (c.backend.name() != "cuda") return {false, "MPI on host memory"};
    if (!on_all_ranks(mpi_says_so(), c.topology)) {
        return {false, "MPI staged through pinned memory, since MPI does not say that it is GPU-aware"};
    }
    if (!on_all_ranks(patterns_pass(c), c.topology)) {
        return {false,
                "MPI staged through pinned memory, since a pattern did not pass between devices although MPI says that it is "
                "GPU-aware"};
    }
    return {true, "GPU-aware MPI, proved with a pattern"};
}

}  // namespace jacobi
