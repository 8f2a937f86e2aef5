// Memory that a thread keeps in a cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace jacobi::host {

/// Zeroed, on large pages where the system has them.
class Scratch {
 public:
    explicit Scratch(std::int64_t bytes);
    ~Scratch();
    Scratch(Scratch&& other) noexcept;
    Scratch& operator=(Scratch&&) = delete;

    void* data() const { return data_; }
    std::int64_t bytes() const { return bytes_; }

 private:
    void* data_;
    std::int64_t bytes_;
};

/// Bytes of the second-level cache of a core; a guess of 1 MiB where the system does not tell.
std::int64_t core_cache_bytes();

/// A processor's equal share of the third-level cache, in bytes; 0 where there is none or the system does not tell.
std::int64_t last_cache_share();

/// How many processors a list of the kernel's names, as "0-3,8"; 0 where it is none.
int processors_in(const std::string& list);

/// Where a thread keeps the levels between the first and the last of passes of several sweeps.
struct ScratchPlace {
    std::int64_t bytes;
    bool shared;  ///< in the cache that cores share, else in the core's own
};
/// For a core's own cache of `own` bytes and its share of the last one.
ScratchPlace place_scratch(std::int64_t own, std::int64_t share);

}  // namespace jacobi::host
