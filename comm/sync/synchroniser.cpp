#include "synchroniser.hpp"

namespace jacobi {

void Synchroniser::make_readable(Generation g) {
    // Messages first: waiting for them moves MPI's own business on, which await() does not in every rung. Each wait is for what
    // its neighbours did in their pass g - 1, and nothing there depends on this rank's pass g: no order of the two can hang.
    if (c_.messages != nullptr) c_.messages->complete(g);
    await(g);
}

bool Synchroniser::overlaps() const {
    // Without neighbours there is nothing to overlap with, and one stream has no gaps between its kernels. A pass as short as a
    // launch hides less than a second launch costs, unless it is messages that travel meanwhile.
    return c_.overlap && !c_.edges.empty() && (!c_.launch_bound || c_.messages != nullptr) && c_.backend.boundary_apart();
}

void Synchroniser::advance(Generation g, Index passes, int depth) {
    MessageTransport* messages = c_.messages;
    const auto waiting = [this](auto&& work) {
        const double begin = MPI_Wtime();
        work();
        wait_seconds_ += MPI_Wtime() - begin;
    };
    for (const Generation end = g + passes; g < end; ++g) {
        waiting([&] { make_readable(g); });
        if (overlaps()) {
            c_.backend.boundary(g, depth);
            // The boundary holds every cell that reads a neighbour's halo or is stored into one, so raising need not wait for the
            // interior.
            raise(g + 1);
            // A message may have to wait for the boundary's kernels: then the device first gets the interior to work on.
            const bool posted = messages == nullptr || messages->try_post(g + 1);
            c_.backend.interior(g, depth);
            if (!posted) waiting([&] { messages->post(g + 1); });
        } else {
            c_.backend.whole(g, depth);
            raise(g + 1);
            if (messages != nullptr) waiting([&] { messages->post(g + 1); });
        }
    }
}

}  // namespace jacobi
