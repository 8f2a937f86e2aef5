// The buffers of message edges: what the boundary kernels store into, and what is stored into halos when it has come.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backend.hpp"
#include "edges.hpp"

namespace jacobi {

/// Cells of a box as they lie in a message: rows of `pitch` elements, planes of `plane`. Rows at least as long as the kernels'
/// vectors begin where these may.
struct PackedShape {
    Box cells;
    Index pitch = 0, plane = 0;
    std::size_t element = 8;

    PackedShape() = default;
    PackedShape(const Box& box, std::size_t element_bytes);
    Index rows() const { return cells.extent()[1] * cells.extent()[2]; }
    std::size_t row_bytes() const { return static_cast<std::size_t>(pitch) * element; }
    std::size_t bytes() const { return static_cast<std::size_t>(rows()) * row_bytes(); }
    /// Bytes from where cell (0, 0, 0) would lie to the first one of `cells`.
    Index offset() const { return (cells.lo[0] + pitch * cells.lo[1] + plane * cells.lo[2]) * static_cast<Index>(element); }
};

/// One message edge: two buffers each way, by parity of the generation.
struct Channel {
    Edge edge;
    PackedShape out, in;
    std::array<std::shared_ptr<std::byte>, 2> send, receive;
};

class PackedEdges {
 public:
    /// Buffers for all message edges. `on_device`: in private memory of the device, never in the exported arena.
    PackedEdges(const std::vector<Edge>& edges, const FieldLayout& layout, Backend& backend, bool on_device);

    ~PackedEdges();
    PackedEdges(const PackedEdges&) = delete;
    PackedEdges& operator=(const PackedEdges&) = delete;

    std::vector<Channel>& channels() { return channels_; }
    HaloTarget target(const Edge& edge) const;
    /// Stores what has been received of generation g into the halos.
    void unpack(Generation g);

 private:
    Backend& backend_;
    std::vector<Channel> channels_;
};

}  // namespace jacobi
