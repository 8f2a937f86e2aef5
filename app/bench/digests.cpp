#include "digests.hpp"

#include <fmt/format.h>

namespace jacobi::bench {

std::string Digests::group(const Case& c) {
    return fmt::format("{} {} {}", size_text(c.cells), name(c.problem), name(c.precision));
}

std::string Digests::enter(const Case& c, std::uint64_t digest, Index sweeps) {
    const auto [first, added] = first_.try_emplace(group(c), First{digest, text(c)});
    if (added || first->second.digest == digest) return {};
    return fmt::format("WRONG BITS: {}: digest {:016x} after {} sweeps, but {:016x} with {}", text(c), digest, sweeps,
                       first->second.digest, first->second.of);
}

}  // namespace jacobi::bench
