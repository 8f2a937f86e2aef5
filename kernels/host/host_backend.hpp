// The host back end's class: a rank's block on some cores. Its members are defined by subject in setup.cpp, passes.cpp,
// messages.cpp and inspect.cpp.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "backend.hpp"
#include "flags.hpp"
#include "scratch.hpp"
#include "shell.hpp"
#include "sweep_isa.hpp"
#include "thread_team.hpp"

namespace jacobi::host {

template <class T>
class HostBackend final : public Backend {
 public:
    // setup.cpp
    explicit HostBackend(int threads);
    std::string name() const override { return "host"; }
    std::string device_name() const override;
    void zero(void* target, std::size_t bytes) override;
    void store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) override;
    std::optional<std::uint64_t> free_memory() const override;
    void read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) override;
    double copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) override;
    double store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) override;
    FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds) override {
        return host::flag_rounds(links, first, rounds);
    }
    bool launch_bound(const FieldLayout&) const override { return false; }  // a job of the threads starts at once
    DepthLimits depth_limits(const Index3& extent, bool rhs) const override;
    void setup(const BlockSetup& setup) override;
    void use_flags(const FlagLinks& links) override { flags_.use(links); }

    // passes.cpp
    std::string pass_shape() const override;
    bool boundary_apart() const override { return apart_; }
    void boundary(Generation g, int depth) override;
    void interior(Generation g, int depth) override;
    void whole(Generation g, int depth) override;
    bool done(bool) override { return true; }
    void flagged_passes(Generation g, Index passes, int depth) override;
    void await_flags(Generation g) override { flags_.await(g); }
    std::optional<FlagTimeout> flag_timeout() override { return flags_.timeout(); }
    TileLimits tile_limits() const override { return {1, 1, 1}; }
    bool tiles_stay(const TileGrid&) const override { return false; }
    void persistent_passes(Generation g, Index passes, int depth) override;
    void await_tiles(Generation g) override { flags_.await(g); }

    // messages.cpp
    std::shared_ptr<std::byte> message_memory(std::size_t bytes, bool on_device) override;
    void store_halos(Generation g, const std::vector<PackedHalo>& halos) override;

    // inspect.cpp
    double residual_max(Generation g) override;
    FixedSum residual_square_sum(Generation g, const FixedScale& scale) override;
    std::uint64_t digest(Generation g) override;
    void read_planes(Generation g, Index z0, Index z1, void* host) override;
    void write_planes(Generation g, Index z0, Index z1, const void* host) override;
    PhaseTimes take_phase_times() override;

 private:
    using Clock = std::chrono::steady_clock;
    static double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

    T* field(Generation g) const { return reinterpret_cast<T*>(setup_.fields[g & 1]); }
    Box all() const { return {{0, 0, 0}, setup_.layout.extent}; }
    SweepArgs<T> args(Generation g) const;
    Range part(const Box& box, int t) const;
    template <class Body>
    static void for_cells(const Range& r, Body&& body) {
        for (Index z = r.lo[2]; z < r.hi[2]; ++z) {
            for (Index y = r.lo[1]; y < r.hi[1]; ++y) {
                for (Index x = r.lo[0]; x < r.hi[0]; ++x) body(x, y, z);
            }
        }
    }
    template <class Body>
    void for_halo_cells(Body&& body);
    void fill();

    void advance(const Range& range, Generation g, int depth, int t, bool stream);
    void push(const Range& range, Generation g) const;
    void boundary_part(Generation g, int depth, int t);
    void interior_part(Generation g, int depth, int t);

    const IsaKernels<T>& kernels_;
    ThreadTeam team_;
    std::vector<Scratch> scratch_;  ///< one a thread, for passes of several sweeps
    bool scratch_shared_ = false;   ///< in the cache that cores share
    BlockSetup setup_;
    bool apart_ = true;  ///< boundary() leaves the interior to interior()
    Shell shell_;
    Range limits_{};  ///< cells that passes of several sweeps may advance: the block and its halo, not what is beyond Dirichlet
                      ///< faces
    bool stream_ = false;
    Coefficients<T> coefficients_{};
    std::array<std::vector<double>, 3> factors_;
    ProblemView view_{};
    Flags flags_;
    std::unique_ptr<T[]> rhs_;
    PhaseTimes times_;
};

extern template class HostBackend<double>;
extern template class HostBackend<float>;

}  // namespace jacobi::host
