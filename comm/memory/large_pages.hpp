// Large pages for memory that is read and written all the time.
#pragma once

#include <cstddef>

namespace jacobi {

/// Everything here is a hint: where the system refuses, small pages are right too, and slower. Without release() a second mapping
/// stays: on the way out of a failure, threads may still be using it.
class LargePages {
 public:
    LargePages() = default;
    LargePages(const LargePages&) = delete;
    LargePages& operator=(const LargePages&) = delete;

    /// Asks for large pages for memory that is all zero because nobody has written it yet.
    void request(std::byte* memory, std::size_t bytes);
    /// Where this process should address what lies at p: elsewhere if p is in the same mapping as shared memory that was given.
    std::byte* view(std::byte* p) const;
    void release();

 private:
    void share(std::byte* memory, std::size_t bytes, std::size_t offset);

    std::byte *first_ = nullptr, *end_ = nullptr;  ///< the mapping as it was found
    std::byte* second_ = nullptr;                  ///< and the same pages again
    std::byte* reserved_ = nullptr;
    std::size_t reserved_bytes_ = 0;
};

}  // namespace jacobi
