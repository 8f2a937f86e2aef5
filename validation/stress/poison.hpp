// NaN in halos that have been used.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "halo_exchange.hpp"
#include "layers.hpp"

namespace jacobi::test {

/// Stores NaN into the halos of the generation before the current one, everywhere that a neighbour will store the next one.
/// Collective, between advances: then every rank has done the pass that read them, and none has begun the one that stores there
/// again.
class Poison {
 public:
    Poison(Backend& backend, const HaloExchange& exchange, int halo)
        : backend_(backend), extent_(exchange.block().extent()), halo_(halo), edges_(exchange.edges()) {
        Index most = 0;
        for (const Edge& e : edges_) most = std::max(most, volume(halo_towards(e.direction, extent_, halo_).extent()));
        const auto cells = static_cast<std::size_t>(most);
        memory_ = backend.message_memory(std::max<std::size_t>(cells, 1) * sizeof(double), false);
        std::fill_n(reinterpret_cast<double*>(memory_.get()), cells, std::numeric_limits<double>::quiet_NaN());
    }

    void spoil(Generation g) {
        std::vector<PackedHalo> halos;
        for (const Edge& e : edges_) {
            // A rank with itself across a face stores it too.
            const Box cells = halo_towards(e.direction, extent_, halo_);
            const Index3 n = cells.extent();
            halos.push_back({cells, memory_.get(), n[0], n[0] * n[1]});
        }
        if (g > 0) backend_.store_halos(g - 1, halos);
        while (!backend_.done(false)) usleep(10);
        MPI_Barrier(MPI_COMM_WORLD);
    }

 private:
    Backend& backend_;
    Index3 extent_;
    int halo_;
    std::vector<Edge> edges_;
    std::shared_ptr<std::byte> memory_;
};

}  // namespace jacobi::test
