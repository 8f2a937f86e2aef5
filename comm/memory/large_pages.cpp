#include "large_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace jacobi {

namespace {

constexpr std::size_t large = std::size_t{2} << 20;
constexpr std::size_t worth_it = 16 * large;  // less is set up faster than large pages are had, and runs from the caches
#if defined(MADV_COLLAPSE)
constexpr int collapse = MADV_COLLAPSE;
#else
constexpr int collapse = 25;  // Linux 6.1; older ones refuse it
#endif

std::byte* up(std::byte* p) { return p + (large - reinterpret_cast<std::uintptr_t>(p) % large) % large; }

}  // namespace

void LargePages::request(std::byte* memory, std::size_t bytes) {
    if (bytes < worth_it) return;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long first = 0, end = 0, offset = 0;
        char access[5] = "";
        if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx", &first, &end, access, &offset) != 4) continue;
        const auto at = reinterpret_cast<std::uintptr_t>(memory);
        if (at < first || at >= end) continue;
        if (access[3] != 's') {
            std::byte* const from = up(memory);
            madvise(from, static_cast<std::size_t>(memory + bytes - from) / large * large, MADV_HUGEPAGE);
        } else if (memory + bytes <= reinterpret_cast<std::byte*>(end)) {
            first_ = reinterpret_cast<std::byte*>(first);
            end_ = reinterpret_cast<std::byte*>(end);
            share(memory, bytes, offset);
        }
        return;
    }
}

/// Large pages of a shared file need addresses that agree with offsets in the file to a large page, which MPI's mapping does not
/// promise: a second mapping of the same pages does.
void LargePages::share(std::byte* memory, std::size_t bytes, std::size_t offset) {
    const auto length = static_cast<std::size_t>(end_ - first_);
    reserved_bytes_ = length + 2 * large;
    void* room = mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return;
    reserved_ = static_cast<std::byte*>(room);
    std::byte* const place = up(reserved_) + offset % large;
    if (mremap(first_, 0, length, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) return release();
    second_ = place;
    // Pages that hold cells of two ranks stay small.
    std::byte* const from = up(view(memory));
    const std::size_t size = static_cast<std::size_t>(view(memory) + bytes - from) / large * large;
    // What is a hole in the file is not collapsed, so one byte of each is written: the zero that it is.
    // Piece by piece for some seconds at most: set-up is waited for, and what stays small is right.
    constexpr std::size_t piece = 64 * large;
    const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (std::size_t done = 0; done < size && std::chrono::steady_clock::now() < stop; done += piece) {
        const std::size_t some = std::min(piece, size - done);
        for (std::size_t i = done; i < done + some; i += large) *static_cast<volatile std::byte*>(from + i) = std::byte{0};
        if (madvise(from + done, some, collapse) == 0) continue;
        if (done == 0) release();
        return;
    }
}

std::byte* LargePages::view(std::byte* p) const {
    return second_ != nullptr && p >= first_ && p < end_ ? second_ + (p - first_) : p;
}

void LargePages::release() {
    if (reserved_ != nullptr) munmap(reserved_, reserved_bytes_);
    reserved_ = second_ = nullptr;
}

}  // namespace jacobi
