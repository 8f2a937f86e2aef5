#include "scratch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

namespace jacobi::host {

namespace {
constexpr std::size_t large_page = std::size_t{2} << 20;
}

Scratch::Scratch(std::int64_t bytes) : bytes_(bytes) {
    const std::size_t size = (static_cast<std::size_t>(bytes) + large_page - 1) / large_page * large_page;
    data_ = ::operator new (size, std::align_val_t{large_page});
#if defined(MADV_HUGEPAGE)
    madvise(data_, size, MADV_HUGEPAGE);  // a hint: small pages are right too
#endif
    std::memset(data_, 0, size);
}
Scratch::~Scratch() {
    if (data_ != nullptr) ::operator delete (data_, std::align_val_t{large_page});
}
Scratch::Scratch(Scratch&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

std::int64_t core_cache_bytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes > 0) return bytes;
#endif
    return std::int64_t{1} << 20;
}

}  // namespace jacobi::host
