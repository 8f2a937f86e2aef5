#include "packed_edges.hpp"

#include <exception>
#include <utility>

#include "layers.hpp"

namespace jacobi {

namespace {
constexpr std::size_t vector_bytes = 16;  // of the widest store of a kernel
}

PackedShape::PackedShape(const Box& box, std::size_t element_bytes) : cells(box), element(element_bytes) {
    // Rows too short for a vector follow each other without gaps: layers across x are often one cell wide.
    const Index vector = static_cast<Index>(vector_bytes / element), nx = box.extent()[0];
    pitch = nx < vector ? nx : (nx + vector - 1) / vector * vector;
    plane = pitch * box.extent()[1];
}

PackedEdges::PackedEdges(const std::vector<Edge>& edges, const FieldLayout& layout, Backend& backend, bool on_device)
    : backend_(backend) {
    for (const Edge& e : edges) {
        if (!e.message()) continue;
        Channel c;
        c.edge = e;
        c.out = PackedShape(layers_towards(e.direction, layout.extent, layout.halo), layout.element);
        c.in = PackedShape(halo_towards(e.direction, layout.extent, layout.halo), layout.element);
        for (int p = 0; p < 2; ++p) {
            c.send[p] = backend.message_memory(c.out.bytes(), on_device);
            c.receive[p] = backend.message_memory(c.in.bytes(), on_device);
        }
        channels_.push_back(std::move(c));
    }
}

PackedEdges::~PackedEdges() {
    // While an error unwinds, messages and kernels may still be on their way: the buffers stay until the process ends.
    if (std::uncaught_exceptions() > 0) (void)new std::vector<Channel>(std::move(channels_));
}

HaloTarget PackedEdges::target(const Edge& edge) const {
    HaloTarget target;
    for (const Channel& c : channels_) {
        if (!(c.edge.direction == edge.direction)) continue;
        for (int p = 0; p < 2; ++p) target.origin[p] = c.send[p].get() - c.out.offset();
        target.pitch = c.out.pitch;
        target.plane = c.out.plane;
    }
    return target;
}

void PackedEdges::unpack(Generation g) {
    std::vector<PackedHalo> halos;
    for (const Channel& c : channels_) halos.push_back({c.in.cells, c.receive[g & 1].get(), c.in.pitch, c.in.plane});
    backend_.store_halos(g, halos);
}

}  // namespace jacobi
