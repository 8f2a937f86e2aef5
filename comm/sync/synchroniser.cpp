#include "synchroniser.hpp"

namespace jacobi {

void Synchroniser::advance(Generation g, Index passes, int depth) {
    for (const Generation end = g + passes; g < end; ++g) {
        const double begin = MPI_Wtime();
        await(g);
        wait_seconds_ += MPI_Wtime() - begin;
        // Without neighbours there is nothing to overlap with, and one stream has no gaps between its kernels.
        if (c_.overlap && !c_.edges.empty()) {
            c_.backend.boundary(g, depth);
            // The boundary boxes hold every cell that reads a neighbour's halo or is stored into one, so raising need not wait
            // for the interior.
            raise(g + 1);
            c_.backend.interior(g, depth);
        } else {
            c_.backend.whole(g, depth);
            raise(g + 1);
        }
    }
}

}  // namespace jacobi
