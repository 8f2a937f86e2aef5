// The host back end: reductions, digest and copies of a generation.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "digest.hpp"
#include "host_backend.hpp"

namespace jacobi::host {

template <class T>
double HostBackend<T>::residual_max(Generation g) {
    std::vector<std::uint64_t> largest(team_.size());
    team_.run([&](int t) { largest[t] = kernels_.residual_max_bits(args(g), part(all(), t)); });
    const std::uint64_t bits = *std::max_element(largest.begin(), largest.end());
    if constexpr (sizeof(T) == 8) return std::bit_cast<double>(bits);
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

template <class T>
FixedSum HostBackend<T>::residual_square_sum(Generation g, const FixedScale& scale) {
    std::vector<FixedSum> sums(team_.size());
    team_.run([&](int t) {
        std::uint64_t limbs[2] = {0, 0};
        kernels_.residual_square_sum(args(g), part(all(), t), scale.first, scale.second, limbs);
        sums[t] = {limbs[0], limbs[1]};
    });
    FixedSum total;
    for (const FixedSum& sum : sums) total.add(sum);
    return total;
}

template <class T>
std::uint64_t HostBackend<T>::digest(Generation g) {
    std::vector<std::uint64_t> sums(team_.size());
    const T* u = field(g);
    team_.run([&](int t) {
        for_cells(part(all(), t), [&](Index x, Index y, Index z) {
            const auto& lo = setup_.block.lo;
            sums[t] += digest_term(setup_.problem.grid.linear(lo[0] + x, lo[1] + y, lo[2] + z), u[setup_.layout.at(x, y, z)]);
        });
    });
    std::uint64_t total = 0;
    for (const std::uint64_t sum : sums) total += sum;
    return total;
}

template <class T>
void HostBackend<T>::read_planes(Generation g, Index z0, Index z1, void* host) {
    const T* u = field(g);
    auto* row = static_cast<T*>(host);
    const auto [nx, ny, nz] = setup_.layout.extent;
    for (Index z = z0; z < z1; ++z) {
        for (Index y = 0; y < ny; ++y, row += nx) std::memcpy(row, u + setup_.layout.at(0, y, z), nx * sizeof(T));
    }
}

template <class T>
void HostBackend<T>::write_planes(Generation g, Index z0, Index z1, const void* host) {
    T* u = field(g);
    const auto* row = static_cast<const T*>(host);
    const auto [nx, ny, nz] = setup_.layout.extent;
    for (Index z = z0; z < z1; ++z) {
        for (Index y = 0; y < ny; ++y, row += nx) std::memcpy(u + setup_.layout.at(0, y, z), row, nx * sizeof(T));
    }
}

template <class T>
PhaseTimes HostBackend<T>::take_phase_times() {
    return std::exchange(times_, {});
}

template class HostBackend<double>;
template class HostBackend<float>;

}  // namespace jacobi::host
