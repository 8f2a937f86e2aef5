// The host back end: memory, bounds, set-up of a block.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "float_mode.hpp"
#include "host_backend.hpp"
#include "rates.hpp"

namespace jacobi {
namespace host {

namespace {
/// Streaming stores pay when the field is larger than the caches it would otherwise stay in.
constexpr std::size_t stream_above_bytes = 2u << 20;
}  // namespace

template <class T>
HostBackend<T>::HostBackend(int threads) : kernels_(select_kernels<T>()), team_(threads) {
    require_ieee_float_mode();
}

template <class T>
std::string HostBackend<T>::device_name() const {
    return std::string(kernels_.name) + ", " + std::to_string(team_.size()) + (team_.size() == 1 ? " thread" : " threads");
}

template <class T>
std::optional<std::uint64_t> HostBackend<T>::free_memory() const {
    // The number behind a word of a file, or in front of all words.
    const auto number_in = [](const char* path, const std::string& word) -> std::optional<std::uint64_t> {
        std::ifstream file(path);
        std::string next;
        std::uint64_t number = 0;
        for (bool found = word.empty(); file >> next; found = next == word) {
            if (found && std::from_chars(next.data(), next.data() + next.size(), number).ec == std::errc()) return number;
        }
        return std::nullopt;  // a container without a limit says "max"
    };
    const auto machine = number_in("/proc/meminfo", "MemAvailable:");
    if (!machine) return std::nullopt;
    return std::min(*machine * 1024, number_in("/sys/fs/cgroup/memory.max", "").value_or(~std::uint64_t{0}));
}

template <class T>
void HostBackend<T>::zero(void* target, std::size_t bytes) {
    std::memset(target, 0, bytes);
}

template <class T>
void HostBackend<T>::store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) target[i] = seed + i;
}

template <class T>
void HostBackend<T>::read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) {
    std::memcpy(host, source, words * sizeof *host);
}

template <class T>
double HostBackend<T>::copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) {
    const auto copy = [&](void* target, const void* source) {
        team_.run([&](int t) {
            constexpr std::size_t unit = 4096;
            const std::size_t from = bytes / unit * t / team_.size() * unit;
            const std::size_t to = bytes / unit * (t + 1) / team_.size() * unit;
            kernels_.copy(static_cast<char*>(target) + from, static_cast<const char*>(source) + from, to - from);
        });
    };
    // Untimed: the first touch of a page costs far more than its copy, and reading an untouched one costs nothing.
    copy(a, b);
    copy(b, a);
    return 2.0 * static_cast<double>(bytes) / mean_seconds(seconds, [&] { copy(b, a); });
}

template <class T>
double HostBackend<T>::store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) {
    // On large blocks each row is in a page of its own, and this process has not touched the neighbours' pages yet: few enough
    // rows, and an untimed first time.
    const StridedRows some = rows.at_most(2048 * rows.width);
    const auto store = [&] {
        for (std::byte* target : to) team_.run([&](int t) { store_rows(target, some, 0, t, team_.size()); });
    };
    store();
    return 2.0 * static_cast<double>(some.bytes()) / mean_seconds(seconds, store);
}

template <class T>
DepthLimits HostBackend<T>::depth_limits(const Index3& extent, bool rhs) const {
    // Blocks that stay in the cores' own caches have nothing to save.
    const auto bytes = static_cast<std::int64_t>(FieldLayout(extent, 1, sizeof(T)).bytes) * (rhs ? 3 : 2);
    return {most_sweeps, most_sweeps, bytes > core_cache_bytes() * team_.size() ? 4 : 1};
}

/// Calls body(x, y, z, global, outside) for all cells and halo cells, each thread its own planes: pages are placed near the
/// thread that first touches them. `outside` is 0 in the grid, else a Dirichlet face beyond which the cell lies, plus 1.
template <class T>
template <class Body>
void HostBackend<T>::for_halo_cells(Body&& body) {
    const auto& n = setup_.problem.grid.cells;
    const auto& lo = setup_.block.lo;
    const auto& layout = setup_.layout;
    const Index h = layout.halo;
    const Box with_halo{{-h, -h, -h}, {layout.extent[0] + h, layout.extent[1] + h, layout.extent[2] + h}};
    team_.run([&](int t) {
        for_cells(part(with_halo, t), [&](Index x, Index y, Index z) {
            Index3 global{lo[0] + x, lo[1] + y, lo[2] + z};
            int outside = 0;
            for (int axis = 0; axis < 3; ++axis) {
                if (setup_.problem.grid.periodic[axis]) {
                    global[axis] = ((global[axis] % n[axis]) + n[axis]) % n[axis];
                } else if (global[axis] < 0 || global[axis] >= n[axis]) {
                    outside = 2 * axis + (global[axis] < 0 ? 0 : 1) + 1;
                }
            }
            body(x, y, z, global, outside);
        });
    });
}

template <class T>
void HostBackend<T>::fill() {
    for_halo_cells([&](Index x, Index y, Index z, const Index3& global, int outside) {
        T first = std::numeric_limits<T>::quiet_NaN(), second = first;
        if (outside > 0) {
            first = second = static_cast<T>(setup_.problem.faces[static_cast<std::size_t>(outside - 1)]);
        } else {
            first = initial_value<T>(view_, global[0], global[1], global[2]);
        }
        field(0)[setup_.layout.at(x, y, z)] = first;
        field(1)[setup_.layout.at(x, y, z)] = second;
    });
}

template <class T>
void HostBackend<T>::setup(const BlockSetup& setup) {
    setup_ = setup;
    const FieldLayout& layout = setup_.layout;
    std::array<bool, face_count> connected{};
    for (int f = 0; f < face_count; ++f) connected[f] = setup_.face(f).active();
    // Deep passes over a slab at an x face advance rims several times as wide as the slab, and read as much: that costs more
    // than it hides, unless what it hides is messages on their way.
    apart_ = setup_.temporal_depth == 1 || setup_.messages || !(connected[0] || connected[1]);
    shell_ =
        apart_ ? split_shell(layout.extent, connected, static_cast<Index>(64 / sizeof(T)), setup_.depth()) : Shell{{all()}, {}};
    for (int axis = 0; axis < 3; ++axis) {
        limits_.lo[axis] = connected[2 * axis] ? -layout.halo : 0;
        limits_.hi[axis] = layout.extent[axis] + (connected[2 * axis + 1] ? layout.halo : 0);
    }
    if (setup_.temporal_depth > 1 && scratch_.empty()) {
        const ScratchPlace place = place_scratch(core_cache_bytes(), last_cache_share());
        const std::int64_t bytes = std::max(place.bytes, TemporalPass::least_scratch);
        scratch_shared_ = place.shared;
        for (int t = 0; t < team_.size(); ++t) scratch_.emplace_back(bytes);
    }
    stream_ = layout.bytes > stream_above_bytes;
    coefficients_ = coefficients<T>(setup_.problem.grid);
    for (int axis = 0; axis < 3; ++axis) factors_[axis] = axis_factors(setup_.problem, axis);
    const Index3& n = setup_.problem.grid.cells;
    view_ = {setup_.problem.kind,
             n[0],
             n[1],
             n[2],
             factors_[0].data(),
             factors_[1].data(),
             factors_[2].data(),
             poisson_kappa(setup_.problem),
             coefficients_.diag_full,
             setup_.problem.seed};
    if (setup_.problem.has_rhs()) {
        rhs_ = std::make_unique_for_overwrite<T[]>(layout.bytes / sizeof(T));
        // In the halo too: passes of several sweeps update the neighbours' cells there.
        for_halo_cells([&](Index x, Index y, Index z, const Index3& global, int outside) {
            rhs_[layout.at(x, y, z)] = outside > 0 ? 0 : rhs_value<T>(view_, global[0], global[1], global[2]);
        });
    }
    fill();
}

template class HostBackend<double>;
template class HostBackend<float>;

}  // namespace host

std::unique_ptr<Backend> make_host_backend(Precision precision, int threads) {
    if (precision == Precision::float64) return std::make_unique<host::HostBackend<double>>(threads);
    return std::make_unique<host::HostBackend<float>>(threads);
}

}  // namespace jacobi
