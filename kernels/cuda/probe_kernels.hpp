// What a device does to its neighbour's memory to see whether and how fast it can: for `doctor`, and for the bounds of a run.
// Callable from host code.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "field.hpp"

namespace jacobi::cuda {

/// `times` times, into to[0] and to[1] in turn: fills the rows with words of 8 bytes pattern, pattern + 1, ..., by stores of 16
/// bytes; where that does not divide the rows' width, by stores of 8 or 4 (of each word the lower half).
void store_rows(const std::array<std::byte*, 2>& to, const StridedRows& rows, std::uint64_t pattern, int times,
                cudaStream_t stream);

/// Fills words of 8 bytes with pattern, pattern + 1, ... by 16-byte stores. `words` is even, `to` aligned to 16 bytes.
void store_words(std::uint64_t* to, std::size_t words, std::uint64_t pattern, cudaStream_t stream);

/// Adds the number of words that differ from pattern, pattern + 1, ... to *wrong, which is device memory.
void count_wrong_words(const std::uint64_t* data, std::size_t words, std::uint64_t pattern, unsigned long long* wrong,
                       cudaStream_t stream);

/// Flags to and fro between two resident kernels of one thread each, on two devices or one. The leader raises 1 and, when the
/// answer is there, starts its clock; then it raises 2, 3, ... until it has made `most_trips` round trips or `enough_ns` are
/// over, and ends with `last`. The other answers every flag with the same. Both words only grow. A rank whose wait exceeds
/// `limit_ns` raises `abandoned`, which ends the other's wait, and stops.
struct PingPong {
    std::int64_t* here;   ///< the partner's flag in own memory
    std::int64_t* there;  ///< the own flag in the partner's memory
    bool leads;
    int most_trips;
    std::uint64_t enough_ns, limit_ns;
    std::int64_t last, abandoned;
};
struct PingPongResult {
    int round_trips;
    std::uint64_t nanoseconds;  ///< of all round trips; leader only
    std::int64_t missing;       ///< the flag that has not come; 0: all came
    int partner_gave_up;
};

/// `result`: device memory.
void ping_pong(const PingPong& game, PingPongResult* result, cudaStream_t stream);

}  // namespace jacobi::cuda
