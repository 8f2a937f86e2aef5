#include "scratch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
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

int processors_in(const std::string& list) {
    int count = 0;
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');) {
        int first = 0, last = 0;
        const int numbers = std::sscanf(part.c_str(), "%d-%d", &first, &last);
        if (numbers < 1) return 0;
        count += numbers == 1 ? 1 : std::max(0, last - first + 1);
    }
    return count;
}

std::int64_t last_cache_share() {
    // sysconf's _SC_LEVEL3_CACHE_SIZE is a whole package's on AMD processors, whose cores share it in groups.
    for (int index = 0; index < 8; ++index) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        int level = 0;
        std::int64_t kib = 0;
        std::string list;
        if (!(std::ifstream(folder + "level") >> level) || level != 3) continue;
        std::ifstream(folder + "size") >> kib;  // "32768K"
        std::ifstream(folder + "shared_cpu_list") >> list;
        const int sharers = processors_in(list);
        return sharers > 0 ? kib * 1024 / sharers : 0;
    }
    return 0;
}

ScratchPlace place_scratch(std::int64_t own, std::int64_t share) {
    // The rest of a cache is for what streams through it, and for everything else. An own cache of less than 1 MiB holds so
    // few rows that their rims cost more than the way to the shared one; larger ones were better (kernels/README.md).
    constexpr std::int64_t mib = 1 << 20;
    const std::int64_t in_own = own * 5 / 8, in_shared = std::min(3 * mib, share * 3 / 4);
    if (own < mib && in_shared > in_own) return {in_shared, true};
    return {in_own, false};
}

}  // namespace jacobi::host
