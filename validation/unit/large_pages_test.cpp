// Memory with large pages asked for is the same memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "memory/large_pages.hpp"

namespace jacobi {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;
constexpr std::size_t page = 4096;

/// Pages of a file in memory, as MPI's shared windows are.
class Shared {
 public:
    explicit Shared(std::size_t size) : bytes(size) {
        const int file = memfd_create("large_pages_test", 0);
        EXPECT_EQ(ftruncate(file, static_cast<off_t>(bytes)), 0);
        void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        EXPECT_NE(at, MAP_FAILED);
        data = static_cast<std::byte*>(at);
        close(file);
    }
    ~Shared() { munmap(data, bytes); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    std::size_t bytes;
    std::byte* data;
};

TEST(LargePages, ShowTheSameBytesOfSharedMemory) {
    const Shared memory(100 * megabyte);
    std::byte* const own = memory.data + 3 * page;
    const std::size_t bytes = 90 * megabyte;
    LargePages pages;
    pages.request(own, bytes);
    std::byte* const view = pages.view(own);
    EXPECT_TRUE(std::all_of(view, view + bytes, [](std::byte b) { return b == std::byte{0}; }));
    for (std::size_t i = 0; i < bytes; i += 1000) view[i] = static_cast<std::byte>(i / 1000);
    // Others' parts of the mapping too, and nothing outside it.
    *pages.view(memory.data) = std::byte{7};
    memory.data[memory.bytes - 1] = std::byte{9};
    EXPECT_EQ(*pages.view(memory.data + memory.bytes - 1), std::byte{9});
    std::byte elsewhere{};
    EXPECT_EQ(pages.view(&elsewhere), &elsewhere);
    pages.release();
    EXPECT_EQ(pages.view(own), own);
    EXPECT_EQ(memory.data[0], std::byte{7});
    for (std::size_t i = 0; i < bytes; i += 1000) ASSERT_EQ(own[i], static_cast<std::byte>(i / 1000)) << i;
}

TEST(LargePages, LeaveSmallMemoryAlone) {
    const Shared memory(megabyte);
    LargePages pages;
    pages.request(memory.data, memory.bytes);
    EXPECT_EQ(pages.view(memory.data), memory.data);
}

}  // namespace
}  // namespace jacobi
