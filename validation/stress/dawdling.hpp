// A back end that makes its rank late.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <random>

#include "backend.hpp"

namespace jacobi::test {

/// Another back end with pauses in front of its work. The rungs see nothing of it.
class Dawdling : public Backend {
 public:
    Dawdling(Backend& real, unsigned seed) : real_(real), random_(seed) {}

    /// Sleeps up to 0.3 ms, mostly not at all: neighbours get ahead by as much as the protocol lets them.
    void dawdle() {
        if (random_() % 8 == 0) usleep(random_() % 300);
    }

    std::string name() const override { return real_.name(); }
    std::string device_name() const override { return real_.device_name(); }
    void zero(void* target, std::size_t bytes) override { real_.zero(target, bytes); }
    void store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) override {
        real_.store_pattern(target, seed, words);
    }
    std::optional<std::uint64_t> free_memory() const override { return real_.free_memory(); }
    void read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) override {
        real_.read_words(host, source, words);
    }
    double copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) override {
        return real_.copy_bandwidth(a, b, bytes, seconds);
    }
    std::shared_ptr<std::byte> message_memory(std::size_t bytes, bool on_device) override {
        return real_.message_memory(bytes, on_device);
    }
    void store_halos(Generation g, const std::vector<PackedHalo>& halos) override {
        dawdle();
        real_.store_halos(g, halos);
    }
    double store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) override {
        return real_.store_bandwidth(to, rows, seconds);
    }
    FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds) override {
        return real_.flag_rounds(links, first, rounds);
    }
    bool launch_bound(const FieldLayout& layout) const override { return real_.launch_bound(layout); }
    XFaces x_faces() const override { return real_.x_faces(); }
    void setup(const BlockSetup& setup) override { real_.setup(setup); }
    DepthLimits depth_limits(const Index3& extent, bool rhs) const override { return real_.depth_limits(extent, rhs); }
    void boundary(Generation g, int depth) override {
        dawdle();
        real_.boundary(g, depth);
        dawdle();  // before the raise
    }
    void interior(Generation g, int depth) override {
        dawdle();
        real_.interior(g, depth);
    }
    void whole(Generation g, int depth) override {
        dawdle();
        real_.whole(g, depth);
        dawdle();
    }
    void use_flags(const FlagLinks& links) override { real_.use_flags(links); }
    void flagged_passes(Generation g, Index passes, int depth) override {
        for (const Generation end = g + passes; g < end; ++g) {
            dawdle();
            real_.flagged_passes(g, 1, depth);
        }
    }
    void await_flags(Generation g) override { real_.await_flags(g); }
    TileLimits tile_limits() const override { return real_.tile_limits(); }
    bool tiles_stay(const TileGrid& tiles) const override { return real_.tiles_stay(tiles); }
    void persistent_passes(Generation g, Index passes, int depth) override {
        // Batches of its own on each rank: right where tiles do not stay on the chip, as on the host.
        for (const Generation end = g + passes; g < end;) {
            const Index some = std::min<Index>(end - g, 1 + static_cast<Index>(random_() % 5));
            dawdle();
            real_.persistent_passes(g, some, depth);
            g += some;
        }
    }
    void await_tiles(Generation g) override { real_.await_tiles(g); }
    std::optional<FlagTimeout> flag_timeout() override { return real_.flag_timeout(); }
    bool done(bool boundary_only) override { return real_.done(boundary_only); }
    double residual_max(Generation g) override {
        dawdle();
        return real_.residual_max(g);
    }
    FixedSum residual_square_sum(Generation g, const FixedScale& scale) override { return real_.residual_square_sum(g, scale); }
    std::uint64_t digest(Generation g) override { return real_.digest(g); }
    void read_planes(Generation g, Index z0, Index z1, void* host) override { real_.read_planes(g, z0, z1, host); }
    void write_planes(Generation g, Index z0, Index z1, const void* host) override { real_.write_planes(g, z0, z1, host); }
    PhaseTimes take_phase_times() override { return real_.take_phase_times(); }

 private:
    Backend& real_;
    std::mt19937 random_;
};

}  // namespace jacobi::test
