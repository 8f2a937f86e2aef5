// Memory that a thread keeps in its core's own cache.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace jacobi::host
