// What one rank's processor, a GPU or some host cores, does to the rank's block. No MPI here: who the neighbours are and when
// their halos may be read or written is comm/'s business. One folder a back end: host/, cuda/.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "field.hpp"
#include "fixed_sum.hpp"
#include "plans.hpp"
#include "problem.hpp"

namespace jacobi {

/// Counts passes through memory since the initial field. Generation g lives in buffer g & 1; pass g reads it and writes
/// generation g + 1 into the other buffer, locally and into the neighbours' halos.
using Generation = std::int64_t;

/// Where the updated cells of the boundary layers towards one neighbour (layers.hpp) are stored besides the own field: local cell
/// (x, y, z) of them at element x + pitch y + plane z from origin[g & 1], for generation g. The origin is translated, so only the
/// layers' cells lie inside the neighbour's field. Null: no neighbour there (a Dirichlet face).
struct HaloTarget {
    std::array<std::byte*, 2> origin{nullptr, nullptr};
    Index pitch = 0;
    Index plane = 0;
    bool active() const { return origin[0] != nullptr; }
};

/// A layer that came as a message, to be stored into a halo: cell (x, y, z) of `cells`, local coordinates, lies at element
/// (x - lo[0]) + pitch (y - lo[1]) + plane (z - lo[2]) of `data`.
struct PackedHalo {
    Box cells;
    const std::byte* data = nullptr;
    Index pitch = 0;
    Index plane = 0;
};

/// A rank's block and the memory it lives in.
struct BlockSetup {
    Problem problem;
    Box block;  ///< global cells of this rank
    FieldLayout layout;
    int temporal_depth = 1;                            ///< sweeps of the deepest pass
    bool messages = false;                             ///< some neighbours get their layers as messages
    std::array<std::byte*, 2> fields;                  ///< both buffers, layout.bytes each, in memory the back end can use
    std::array<HaloTarget, Direction::count> targets;  ///< by Direction::code
    /// Layers stored into neighbours in every pass, at least the sweeps of any later one: what the halo holds.
    int depth() const { return layout.halo; }
    const HaloTarget& face(int f) const { return targets[static_cast<std::size_t>(Direction::face(f).code)]; }
};

/// Sweeps a pass that a back end offers for a block.
struct DepthLimits {
    int most = 1;             ///< of passes that the host issues
    int most_persistent = 1;  ///< of persistent passes
    int preferred = 1;        ///< what `auto` takes, unless passes are persistent
};

/// Persistent passes cut a block into y x z tiles of whole rows, spread as decompositions spread cells. All ranks use the same
/// numbers, so at a shared face each tile meets just one tile of the neighbour.
struct TileGrid {
    int y = 1, z = 1;
    int count() const { return y * z; }
    static constexpr int most = 512;           ///< that an arena has words for
    static constexpr int words_per_tile = 16;  ///< 64-bit words of a 128-byte line: no two tiles' words share one
};

/// What a back end says of tiles.
struct TileLimits {
    int count = 0;             ///< that are sure to run side by side; 0: none are
    int rows = 1, planes = 1;  ///< of a tile that may stay on the chip, at most
};

/// Tiles for blocks of at least `rows` x `planes` rows, none of them empty, with few cells on their rims; larger than those that
/// stay on the chip only where there is no other way.
TileGrid choose_tiles(const TileLimits& limits, Index rows, Index planes);

/// Where the cells of a face arrive within a batch of persistent passes whose tiles stay on the chip, by parity of their
/// generation. An entry is 16 bytes, 8 of cells and the generation they belong to, stored and loaded as one: whoever finds the
/// generation there has the cells. Row by row of the face, of each row first the first halves of its 16-byte groups, then the
/// second ones; an x face has an entry a cell. Starts as zeros, which no reader takes for cells (rims.cuh, tag_of).
struct RimMailbox {
    std::array<std::byte*, 2> entries{nullptr, nullptr};
};

/// Counters through which kernels themselves await neighbours and tell them, one entry an edge; self edges included, so that a
/// rank with itself as neighbour runs the same protocol. Every word has its own line of an arena and only grows.
struct FlagLinks {
    struct Link {
        Direction direction;
        bool self = false;                ///< the neighbour is this rank
        const Generation* own = nullptr;  ///< awaited: the neighbour has raised this generation (>=)
        Generation* there = nullptr;      ///< raised in the neighbour's arena; null: somebody else raises
        // The same for persistent passes, tile by tile: one word a line, indexed by the neighbour's and this rank's tiles.
        const Generation* own_tiles = nullptr;
        Generation* there_tiles = nullptr;
        // Only where tiles stay on the chip: this rank's mailbox for cells that come across this face, and the neighbour's.
        RimMailbox own_rims, there_rims;
    };
    std::vector<Link> links;
    TileGrid tiles;           ///< of persistent passes, the same on all ranks
    bool tiles_stay = false;  ///< they stay on the chip, on all ranks: rims travel in mailboxes
    double timeout_s = 60;
};

/// A wait inside a kernel that gave up.
struct FlagTimeout {
    Direction direction;
    Generation expected, seen;
};

/// What Backend::flag_rounds saw.
struct FlagRounds {
    double seconds = 0;                  ///< of a round
    std::optional<FlagTimeout> timeout;  ///< a flag that did not come
};

/// Seconds that sampled passes took, by kernel; the caller scales them to all passes.
struct PhaseTimes {
    double boundary = 0;
    double interior = 0;
    Index sweeps = 0;  ///< of the sampled passes
};

class Backend {
 public:
    virtual ~Backend() = default;

    virtual std::string name() const = 0;         ///< "host" or "cuda"
    virtual std::string device_name() const = 0;  ///< for people: "NVIDIA H200", "AVX-512, 2 threads"

    /// Bytes of memory for fields that nobody uses now, on the device or on this machine; none: the system does not say.
    virtual std::optional<std::uint64_t> free_memory() const = 0;

    // Memory that the back end can use: set-up and checks, never in the sweeps.
    virtual void zero(void* target, std::size_t bytes) = 0;
    /// Stores words seed, seed + 1, ... the way the boundary kernel stores into a neighbour's halo, and waits until done.
    virtual void store_pattern(std::uint64_t* target, std::uint64_t seed, std::size_t words) = 0;
    virtual void read_words(std::uint64_t* host, const std::uint64_t* source, std::size_t words) = 0;
    /// Memory that kernels store messages into and load them from, while MPI reads and writes it between: private device memory
    /// or the host's, pinned where kernels are a device's. Zeros, row_alignment-aligned. Outlives no back end.
    virtual std::shared_ptr<std::byte> message_memory(std::size_t bytes, bool on_device) = 0;
    /// Rate of copies from `a` to `b` (bytes read plus written a second) over about `seconds`, after both have been written once.
    /// Ranks that share a device or cores call it at the same time and so measure their shares. Overwrites both.
    virtual double copy_bandwidth(void* a, void* b, std::size_t bytes, double seconds) = 0;

    /// Rate of stores into to[0] and to[1] in turn, the way the boundary kernel stores into a neighbour's two buffers: bytes a
    /// second, over about `seconds`.
    virtual double store_bandwidth(const std::array<std::byte*, 2>& to, const StridedRows& rows, double seconds) = 0;
    /// `rounds` times: raises the next generation after `first` on all links, then awaits it on all. The ranks at their other
    /// ends do the same at the same time, so a round lasts as long as a flag takes one way, and what handling it costs.
    virtual FlagRounds flag_rounds(const FlagLinks& links, Generation first, int rounds) = 0;

    /// Where a layer of cells beyond x faces serves this back end best. All ranks of a run have the same answer.
    virtual XFaces x_faces() const { return XFaces::in_place; }
    /// Is a pass over such a block about as short as the launch of a kernel? Rungs that launch less pay then.
    virtual bool launch_bound(const FieldLayout& layout) const = 0;

    /// Takes the block, computes the right-hand side, fills generation 0 with its halos. The other buffer gets the Dirichlet
    /// halos and NaN everywhere else, so that a cell which nobody stores cannot pass for a value.
    virtual void setup(const BlockSetup& setup) = 0;

    /// `rhs`: the problem has a right-hand side.
    virtual DepthLimits depth_limits(const Index3& extent, bool rhs) const = 0;
    /// How passes that the host issues walk the block, for people; empty where there is nothing to tell. After setup.
    virtual std::string pass_shape() const { return {}; }
    /// Where that shape came from. After setup.
    virtual PlanOrigin plan_origin() const { return {}; }
    /// Are boundary() and interior() two launches for this block? Else boundary() does everything. After setup.
    virtual bool boundary_apart() const { return true; }

    // One pass g of `depth` sweeps: boundary then interior, or both at once. The boundary holds every cell whose update reads a
    // neighbour's halo or that is stored into one. A back end may only enqueue. Inside a rank boundary(g) waits for
    // interior(g - 1) and interior(g) for boundary(g - 1): each reads cells that the other wrote a pass before, and overwrites
    // what the other read.
    virtual void boundary(Generation g, int depth) = 0;
    virtual void interior(Generation g, int depth) = 0;
    virtual void whole(Generation g, int depth) = 0;
    /// Stores layers that came as messages into halos of generation g: after everything issued before that reads or writes halos,
    /// and before what is issued later. The data may be overwritten when the boundary kernels of pass g have ended.
    virtual void store_halos(Generation g, const std::vector<PackedHalo>& halos) = 0;
    // Flags in kernels (rungs `stream`, `flag`): after use_flags every boundary(g) or whole(g) awaits generation g on all links
    // before it reads a halo or stores into a neighbour, and raises g + 1 on all links after its last halo reader and last store;
    // the raise may be left to the next pass, but not beyond the end of flagged_passes.
    virtual void use_flags(const FlagLinks& links) = 0;
    /// Passes g, ..., g + passes - 1 of `depth` sweeps each with flags in kernels, issued as cheaply as the back end can.
    virtual void flagged_passes(Generation g, Index passes, int depth) = 0;
    /// Makes what is enqueued later run after all links have reached generation g (residual checks read halos).
    virtual void await_flags(Generation g) = 0;

    // Persistent passes: one kernel, or one job of the threads, runs many passes; its tiles wait for just those tiles, their own
    // rank's and the neighbours', that they read from or that read what they overwrite. Not to be mixed with flagged passes in
    // one run.
    virtual TileLimits tile_limits() const = 0;  ///< of the block, after setup
    /// Do tiles of this block, set up before, stay on the chip in persistent passes? Ranks whose do talk to each other in a way
    /// of their own, so it takes all of them (FlagLinks::tiles_stay).
    virtual bool tiles_stay(const TileGrid& tiles) const = 0;
    /// All ranks make the same calls: where tiles stay on the chip, halos in memory hold a batch's last generation only.
    virtual void persistent_passes(Generation g, Index passes, int depth) = 0;
    /// As await_flags, after persistent passes.
    virtual void await_tiles(Generation g) = 0;

    /// The wait that gave up since use_flags, if any: what was enqueued after it means nothing. Meaningful once done().
    virtual std::optional<FlagTimeout> flag_timeout() = 0;

    /// Has everything enqueued been done? (Polled by callers that bound their waits.) `boundary_only`: the boundary kernels.
    virtual bool done(bool boundary_only) = 0;

    // Reductions over the block at generation g. They read halos: the caller has made those of generation g readable.
    virtual double residual_max(Generation g) = 0;  ///< max |r|; NaN wins over everything
    virtual FixedSum residual_square_sum(Generation g, const FixedScale& scale) = 0;
    virtual std::uint64_t digest(Generation g) = 0;

    /// Planes z0 <= z < z1 of generation g to or from host memory without gaps, x fastest.
    virtual void read_planes(Generation g, Index z0, Index z1, void* host) = 0;
    virtual void write_planes(Generation g, Index z0, Index z1, const void* host) = 0;

    /// Sampled kernel times since the last call.
    virtual PhaseTimes take_phase_times() = 0;
};

/// Host back end with its kernels for the best instruction set of this processor. `threads` >= 1.
std::unique_ptr<Backend> make_host_backend(Precision precision, int threads);

#if defined(JACOBI_WITH_CUDA)
/// CUDA back end on the device with this ordinal (as this process sees it), of which `sharers` ranks have an equal share.
/// `plans`: where it gets the shape of its passes from.
std::unique_ptr<Backend> make_cuda_backend(Precision precision, int ordinal, int sharers, const Plans& plans);
#endif

}  // namespace jacobi
