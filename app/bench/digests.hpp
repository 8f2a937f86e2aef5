// What every configuration has to compute: the bits that the plainest one did.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "case.hpp"

namespace jacobi::bench {

/// Digests by problem, size and precision. The first one that is entered is what all others must equal.
class Digests {
 public:
    bool has(const Case& c) const { return first_.contains(group(c)); }
    /// Empty when the digest is the group's, or the first of it; else what differs.
    std::string enter(const Case& c, std::uint64_t digest, Index sweeps);

 private:
    static std::string group(const Case& c);
    struct First {
        std::uint64_t digest;
        std::string of;
    };
    std::map<std::string, First> first_;
};

}  // namespace jacobi::bench
