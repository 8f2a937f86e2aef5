// The host back end: a rank's block on some cores.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "backend.hpp"
#include "digest.hpp"
#include "flags.hpp"
#include "float_mode.hpp"
#include "layers.hpp"
#include "rates.hpp"
#include "shell.hpp"
#include "sweep_isa.hpp"
#include "thread_team.hpp"

namespace jacobi {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Streaming stores pay when the field is larger than the caches it would otherwise stay in.
constexpr std::size_t stream_above_bytes = 2u << 20;

template <class T>
class HostBackend final : public Backend {
 public:
    explicit HostBackend(int threads) : kernels_(host::select_kernels<T>()), team_(threads) { host::require_ieee_float_mode(); }

    std::string name() const override { return "host"; }
    std::string device_name() const override {
        return std::string(kernels_.name) + ", " + std::to_string(team_.size()) + (team_.size() == 1 ? " thread" : " threads");
    }

    void zero(void* target, std::size_t bytes) override { std::memset(target, 0, bytes); }
    void store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) override {
        for (std::size_t i = 0; i < words; ++i) target[i] = seed + i;
    }
    void read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) override {
        std::memcpy(host, source, words * sizeof *host);
    }

    double copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) override {
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
        return 2.0 * static_cast<double>(bytes) / host::mean_seconds(seconds, [&] { copy(b, a); });
    }
    double store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) override {
        // On large blocks each row is in a page of its own, and this process has not touched the neighbours' pages yet: few
        // enough rows, and an untimed first time.
        const StridedRows some = rows.at_most(2048 * rows.width);
        const auto store = [&] {
            for (std::byte* target : to) team_.run([&](int t) { host::store_rows(target, some, 0, t, team_.size()); });
        };
        store();
        return 2.0 * static_cast<double>(some.bytes()) / host::mean_seconds(seconds, store);
    }
    FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds) override {
        return host::flag_rounds(links, first, rounds);
    }

    bool launch_bound(const FieldLayout&) const override { return false; }  // a job of the threads starts at once

    void setup(const BlockSetup& setup) override {
        setup_ = setup;
        const FieldLayout& layout = setup_.layout;
        std::array<bool, face_count> connected{};
        for (int f = 0; f < face_count; ++f) connected[f] = setup_.face(f).active();
        shell_ = split_shell(layout.extent, connected, static_cast<Index>(64 / sizeof(T)), setup_.depth());
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

    DepthLimits depth_limits(const Index3&, bool) const override { return {}; }

    void boundary(Generation g, int) override {
        const auto start = Clock::now();
        team_.run([&](int t) {
            if (flags_.in_use()) {
                const bool ok = flags_.await(g);
                if (ok) boundary_part(g, t);
                team_.barrier();  // all threads' halo reads and peer stores are behind it
                if (t == 0 && !flags_.timeout()) flags_.raise(g + 1);
            } else {
                boundary_part(g, t);
            }
        });
        times_.boundary += seconds_since(start);
        ++times_.sweeps;
    }
    void interior(Generation g, int) override {
        const auto start = Clock::now();
        team_.run([&](int t) { kernels_.sweep(args(g), part(shell_.interior, t), stream_); });
        times_.interior += seconds_since(start);
    }
    void whole(Generation g, int depth) override {
        boundary(g, depth);
        interior(g, depth);
    }
    bool done(bool) override { return true; }

    std::shared_ptr<std::byte> message_memory(std::size_t bytes, bool) override {
        constexpr std::align_val_t alignment{row_alignment};
        void* raw = ::operator new(bytes, alignment);
        std::memset(raw, 0, bytes);
        return {static_cast<std::byte*>(raw), [](std::byte* p) { ::operator delete(p, alignment); }};
    }
    void store_halos(Generation g, const std::vector<PackedHalo>& halos) override {
        T* u = field(g);
        team_.run([&](int t) {
            for (const PackedHalo& halo : halos) {
                const auto& lo = halo.cells.lo;
                const T* data = reinterpret_cast<const T*>(halo.data);
                for_cells(part(halo.cells, t), [&](Index x, Index y, Index z) {
                    u[setup_.layout.at(x, y, z)] = data[(x - lo[0]) + halo.pitch * (y - lo[1]) + halo.plane * (z - lo[2])];
                });
            }
        });
    }

    void use_flags(const FlagLinks& links) override { flags_.use(links); }
    void flagged_passes(Generation g, Index passes, int depth, bool) override {
        for (const Generation end = g + passes; g < end && !flags_.timeout(); ++g) whole(g, depth);
    }
    void await_flags(Generation g) override { flags_.await(g); }
    std::optional<FlagTimeout> flag_timeout() override { return flags_.timeout(); }

    int persistent_limit() const override { return 1; }
    void persistent_passes(Generation first, Index passes, int) override {
        const auto start = Clock::now();
        team_.run([&](int t) {
            for (Generation g = first; g < first + passes; ++g) {
                const bool ok = flags_.await(g);
                if (ok) boundary_part(g, t);
                team_.barrier();  // all threads' halo reads and peer stores are behind it
                if (flags_.timeout()) return;
                if (t == 0) flags_.raise(g + 1);
                kernels_.sweep(args(g), part(shell_.interior, t), stream_);
                team_.barrier();  // the next pass reads what other threads wrote in this one, and overwrites what they read
            }
        });
        times_.interior += seconds_since(start);
        times_.sweeps += passes;
    }
    void await_tiles(Generation g) override { flags_.await(g); }

    double residual_max(Generation g) override {
        std::vector<std::uint64_t> largest(team_.size());
        team_.run([&](int t) { largest[t] = kernels_.residual_max_bits(args(g), part(all(), t)); });
        const std::uint64_t bits = *std::max_element(largest.begin(), largest.end());
        if constexpr (sizeof(T) == 8) return std::bit_cast<double>(bits);
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
    FixedSum residual_square_sum(Generation g, const FixedScale& scale) override {
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
    std::uint64_t digest(Generation g) override {
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

    void read_planes(Generation g, Index z0, Index z1, void* host) override {
        copy_planes(z0, z1, field(g), static_cast<T*>(host));
    }
    void write_planes(Generation g, Index z0, Index z1, const void* host) override {
        T* u = field(g);
        const auto* row = static_cast<const T*>(host);
        const auto [nx, ny, nz] = setup_.layout.extent;
        for (Index z = z0; z < z1; ++z) {
            for (Index y = 0; y < ny; ++y, row += nx) std::memcpy(u + setup_.layout.at(0, y, z), row, nx * sizeof(T));
        }
    }

    PhaseTimes take_phase_times() override { return std::exchange(times_, {}); }

 private:
    T* field(Generation g) const { return reinterpret_cast<T*>(setup_.fields[g & 1]); }
    Box all() const { return {{0, 0, 0}, setup_.layout.extent}; }

    host::SweepArgs<T> args(Generation g) const {
        const Index origin = setup_.layout.origin;
        const auto& c = coefficients_;
        return {field(g) + origin,
                field(g + 1) + origin,
                rhs_ ? rhs_.get() + origin : nullptr,
                setup_.layout.pitch,
                setup_.layout.plane,
                c.cx,
                c.cy,
                c.cz,
                c.diag};
    }

    /// Thread t's share of a box: whole planes where there are enough, else whole rows.
    host::Range part(const Box& box, int t) const {
        host::Range range{{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}};
        const int axis = box.hi[2] - box.lo[2] >= team_.size() ? 2 : 1;
        const Index n = box.hi[axis] - box.lo[axis];
        range.lo[axis] = box.lo[axis] + n * t / team_.size();
        range.hi[axis] = box.lo[axis] + n * (t + 1) / team_.size();
        return range;
    }

    template <class Body>
    void for_cells(const host::Range& r, Body&& body) const {
        for (Index z = r.lo[2]; z < r.hi[2]; ++z) {
            for (Index y = r.lo[1]; y < r.hi[1]; ++y) {
                for (Index x = r.lo[0]; x < r.hi[0]; ++x) body(x, y, z);
            }
        }
    }
    /// Calls body(x, y, z, global, outside) for all cells and halo cells, each thread its own planes: pages are placed near the
    /// thread that first touches them. `outside` is 0 in the grid, else a Dirichlet face beyond which the cell lies, plus 1.
    template <class Body>
    void for_halo_cells(Body&& body) {
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

    void fill() {
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

    /// A boundary range: ordinary stores, since its rows are copied on and read again soon.
    void update_and_store(const host::Range& r, Generation g) {
        if (r.lo[1] >= r.hi[1] || r.lo[2] >= r.hi[2]) return;
        kernels_.sweep(args(g), r, false);
        const T* u = field(g + 1) + setup_.layout.origin;
        for (const Direction d : directions_of_depth(setup_.depth())) {
            const HaloTarget& target = setup_.targets[static_cast<std::size_t>(d.code)];
            if (!target.active()) continue;
            const Box layers = layers_towards(d, setup_.layout.extent, setup_.depth());
            host::Range mine;  // the range's cells of those layers
            for (int a = 0; a < 3; ++a) {
                mine.lo[a] = std::max<Index>(r.lo[a], layers.lo[a]);
                mine.hi[a] = std::min<Index>(r.hi[a], layers.hi[a]);
            }
            T* out = reinterpret_cast<T*>(target.origin[(g + 1) & 1]);
            const auto offset = d.offset();
            const bool all = axes_of(d) == 1;
            for_cells(mine, [&](Index x, Index y, Index z) {
                if (all || needed_towards(offset.data(), setup_.layout.extent.data(), setup_.depth(), x, y, z))
                    out[x + target.pitch * y + target.plane * z] = u[x + setup_.layout.pitch * y + setup_.layout.plane * z];
            });
        }
    }

    void boundary_part(Generation g, int t) {
        for (const Box& box : shell_.boundary) update_and_store(part(box, t), g);
    }

    void copy_planes(Index z0, Index z1, const T* u, T* row) const {
        const auto [nx, ny, nz] = setup_.layout.extent;
        for (Index z = z0; z < z1; ++z) {
            for (Index y = 0; y < ny; ++y, row += nx) std::memcpy(row, u + setup_.layout.at(0, y, z), nx * sizeof(T));
        }
    }

    const host::IsaKernels<T>& kernels_;
    host::ThreadTeam team_;
    BlockSetup setup_;
    Shell shell_;
    bool stream_ = false;
    Coefficients<T> coefficients_{};
    std::array<std::vector<double>, 3> factors_;
    ProblemView view_{};
    host::Flags flags_;
    std::unique_ptr<T[]> rhs_;
    PhaseTimes times_;
};

}  // namespace

std::unique_ptr<Backend> make_host_backend(Precision precision, int threads) {
    if (precision == Precision::float64) return std::make_unique<HostBackend<double>>(threads);
    return std::make_unique<HostBackend<float>>(threads);
}

}  // namespace jacobi
