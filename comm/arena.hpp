// One rank's shareable memory: a single allocation with both field buffers and the words that neighbours write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend.hpp"

namespace jacobi {

/// Offsets in bytes. Every word that another rank writes has a 128-byte line of its own: no two writers share a line.
struct ArenaLayout {
    static constexpr std::size_t line = 128;
    static constexpr std::size_t unit = std::size_t{2} << 20;  ///< CUDA IPC exports whole allocations, which are 2 MiB pieces

    static constexpr std::size_t counters = 0;                                 ///< one line a direction
    static constexpr std::size_t probes = counters + Direction::count * line;  ///< one line a direction
    static constexpr std::size_t tiles = probes + Direction::count * line;     ///< TileGrid::most lines a face
    static constexpr std::size_t header_bytes = (tiles + face_count * TileGrid::most * line + 4095) / 4096 * 4096;
    static constexpr std::size_t probe_words = line / sizeof(std::uint64_t);

    FieldLayout field;
    std::size_t fields[2] = {0, 0};
    std::size_t bytes = 0;

    ArenaLayout() = default;
    explicit ArenaLayout(const FieldLayout& layout) : field(layout) {
        const auto up = [](std::size_t n, std::size_t to) { return (n + to - 1) / to * to; };
        fields[0] = header_bytes;
        fields[1] = up(fields[0] + layout.bytes, 4096);
        bytes = up(fields[1] + layout.bytes, unit);
    }
    static constexpr std::size_t counter(Direction d) { return counters + static_cast<std::size_t>(d.code) * line; }
    static constexpr std::size_t tile(int face) { return tiles + static_cast<std::size_t>(face) * TileGrid::most * line; }
    static constexpr std::size_t probe(Direction d) { return probes + static_cast<std::size_t>(d.code) * line; }
    friend bool operator==(const ArenaLayout&, const ArenaLayout&) = default;
};
static_assert(ArenaLayout::line == TileGrid::words_per_tile * sizeof(Generation));

}  // namespace jacobi
