// One rank's shareable memory: a single allocation with both field buffers and the words that neighbours write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend.hpp"

namespace jacobi {

/// Offsets in bytes. Every word that another rank writes has a 128-byte line of its own, but for mailboxes, which have one writer
/// each: no two writers share a line.
struct ArenaLayout {
    static constexpr std::size_t line = 128;
    static constexpr std::size_t unit = std::size_t{2} << 20;  ///< CUDA IPC exports whole allocations, which are 2 MiB pieces

    static constexpr std::size_t counters = 0;                                 ///< one line a direction
    static constexpr std::size_t probes = counters + Direction::count * line;  ///< one line a direction
    static constexpr std::size_t tiles = probes + Direction::count * line;     ///< TileGrid::most lines a face
    static constexpr std::size_t header_bytes = (tiles + face_count * TileGrid::most * line + 4095) / 4096 * 4096;
    static constexpr std::size_t probe_words = line / sizeof(std::uint64_t);

    /// Larger fields stay on no chip, so their ranks have no mailboxes for rims. (A GPU of today holds some 30 MB.)
    static constexpr std::size_t most_on_chip = std::size_t{32} << 20;

    FieldLayout field;
    std::size_t rims[face_count][2] = {};  ///< RimMailbox of a face, by parity; zero without mailboxes
    std::size_t fields[2] = {0, 0};
    std::size_t bytes = 0;
    bool holds_fields = true;  ///< else only what lies in front of them: enough to map arenas, prove edges and choose a rung

    ArenaLayout() = default;
    explicit ArenaLayout(const FieldLayout& layout, bool with_fields = true) : field(layout), holds_fields(with_fields) {
        const auto up = [](std::size_t n, std::size_t to) { return (n + to - 1) / to * to; };
        fields[0] = header_bytes;
        for (int f = 0; has_rims() && f < face_count; ++f) {
            for (std::size_t& offset : rims[f]) {
                offset = fields[0];
                fields[0] = up(offset + rim_bytes(layout.extent, layout.element, f / 2), line);
            }
        }
        fields[0] = up(fields[0], 4096);
        fields[1] = up(fields[0] + layout.bytes, 4096);
        bytes = up(holds_fields ? fields[1] + layout.bytes : fields[0], unit);
    }
    bool has_rims() const { return field.bytes <= most_on_chip; }
    /// Everything in front of the fields starts as zeros.
    std::size_t zeroed_bytes() const { return fields[0]; }
    /// The arena of a rank of the same run with another block.
    ArenaLayout with(const Index3& extent) const {
        return ArenaLayout(FieldLayout(extent, field.halo, field.element, field.x_faces), holds_fields);
    }
    static constexpr std::size_t counter(Direction d) { return counters + static_cast<std::size_t>(d.code) * line; }
    static constexpr std::size_t tile(int face) { return tiles + static_cast<std::size_t>(face) * TileGrid::most * line; }
    static constexpr std::size_t probe(Direction d) { return probes + static_cast<std::size_t>(d.code) * line; }
    friend bool operator==(const ArenaLayout&, const ArenaLayout&) = default;
};
static_assert(ArenaLayout::line == TileGrid::words_per_tile * sizeof(Generation));

}  // namespace jacobi
