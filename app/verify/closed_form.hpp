// Verification against the exact solution of the discrete iteration: at any size, after any number of sweeps, without a second
// solver. What is compared with what, and how the bounds follow, stands in sine_product.cpp and sine_series.cpp.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "problem.hpp"
#include "snapshot.hpp"
#include "verdict.hpp"

namespace jacobi {

struct ClosedFormCheck {
    Verdict verdict;
    double error;  ///< largest difference from the closed form, relative to the measure that the text names; NaN for a NaN field
    double bound;  ///< what rounding alone may reach, by a proof and not by experience; same measure
    std::string text;  ///< for the parentheses of "Verification: PASS (...)"
};

/// Compares the field after `iteration` sweeps with the closed form of its problem: `eigenmode` and `poisson` in every cell,
/// `laplace` in the cells `samples`, with every other one checked to lie between the least and greatest of 0 and the faces.
/// `block` is this rank's part, all of which `read` copies to host memory in `precision`.
/// FAIL: the error exceeds the bound, or the field is not finite. SKIPPED: the error is within the bound, but so would be that of
/// sweep iteration - 1; also where the exact field is zero, and for `random`, which has no closed form.
/// Collective over `comm`; same problem, precision, iteration and samples on all ranks, and the same result.
ClosedFormCheck verify_closed_form(MPI_Comm comm, const Problem& problem, Precision precision, Index iteration, const Box& block,
                                   const ReadPlanes& read, const std::vector<Index3>& samples);

/// 16 cells of the grid for `laplace`: corners of blocks, where a wrong halo shows first, corners of the grid (next to every
/// face, so that one of them changes from the first sweep on), and a few scattered ones. `blocks`: those of all ranks. A small
/// grid has repetitions among them.
std::vector<Index3> closed_form_samples(const Grid& grid, const std::vector<Box>& blocks);

}  // namespace jacobi
