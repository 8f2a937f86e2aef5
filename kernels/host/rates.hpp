// What this processor and the memory that it shares can do: for the bounds of a run, and for `doctor`.
#pragma once

#include <chrono>
#include <cstdint>

#include "field.hpp"

namespace jacobi::host {

/// Mean seconds of work(): again and again, for about `seconds`. The mean, not the best: where ranks take turns on a core, the
/// best says how fast a turn was and not what the core gives.
template <class Work>
double mean_seconds(double seconds, Work&& work) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::chrono::duration<double> elapsed{};
    int times = 0;
    do {
        work();
        ++times;
        elapsed = Clock::now() - start;
    } while (elapsed.count() < seconds);
    return elapsed.count() / times;
}

/// Part `part` of `parts`: fills the rows with words of 8 bytes pattern, pattern + 1, ...; rows of 4 bytes with the words' lower
/// halves. `width` is 4 or a multiple of 8.
void store_rows(std::byte* to, const StridedRows& rows, std::uint64_t pattern, int part = 0, int parts = 1);

}  // namespace jacobi::host
