#include "rates.hpp"

namespace jacobi::host {

namespace {

template <class Word>
void store(std::byte* to, const StridedRows& rows, std::uint64_t pattern, std::size_t first, std::size_t last) {
    const std::size_t words = rows.width / sizeof(Word);
    for (std::size_t row = first; row < last; ++row) {
        auto* const at = reinterpret_cast<Word*>(to + row % rows.count[0] * rows.pitch[0] + row / rows.count[0] * rows.pitch[1]);
        for (std::size_t i = 0; i < words; ++i) at[i] = static_cast<Word>(pattern + row * words + i);
    }
}

}  // namespace

void store_rows(std::byte* to, const StridedRows& rows, std::uint64_t pattern, int part, int parts) {
    const std::size_t all = rows.count[0] * rows.count[1];
    const std::size_t first = all * part / parts, last = all * (part + 1) / parts;
    if (rows.width % sizeof(std::uint64_t) == 0) {
        store<std::uint64_t>(to, rows, pattern, first, last);
    } else {
        store<std::uint32_t>(to, rows, pattern, first, last);
    }
    asm volatile("" ::: "memory");  // or the compiler could drop all repetitions but one
}

}  // namespace jacobi::host
