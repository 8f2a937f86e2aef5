// What the tests of the host kernels share: the instruction sets of this processor, a block of random values with plain loops
// over the update's one definition (kernels/stencil.hpp) as what must come out, and ranges of cells.
#pragma once

#include <cstddef>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "field.hpp"
#include "host/sweep_isa.hpp"
#include "stencil.hpp"

namespace jacobi::test {

template <class T>
std::vector<const host::IsaKernels<T>*> available() {
    std::vector<const host::IsaKernels<T>*> all{&host::portable::kernels(T())};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&host::avx2::kernels(T()));
    if (__builtin_cpu_supports("avx512f")) all.push_back(&host::avx512::kernels(T()));
#endif
    return all;
}

/// Memory as the arena gives it: aligned, so that vectors at x = 0 may be streamed.
template <class T>
class Field {
 public:
    explicit Field(const FieldLayout& layout)
        : layout_(layout), data_(static_cast<T*>(::operator new (layout.bytes, std::align_val_t{row_alignment}))) {}
    ~Field() { ::operator delete (data_, std::align_val_t{row_alignment}); }
    Field(const Field&) = delete;
    Field& operator=(const Field&) = delete;

    std::size_t size() const { return layout_.bytes / sizeof(T); }
    T* begin() const { return data_; }
    T* end() const { return data_ + size(); }
    T* origin() const { return data_ + layout_.origin; }
    T& at(Index x, Index y, Index z) const { return data_[layout_.at(x, y, z)]; }

 private:
    FieldLayout layout_;
    T* data_;
};

/// A block with random values everywhere, and what one update or residual of it must be.
template <class T>
class Block {
 public:
    explicit Block(T scale, bool with_rhs, const Index3& extent = {53, 7, 5})
        : layout_(extent, 1, sizeof(T)), u(layout_), b(layout_), out(layout_), with_rhs_(with_rhs) {
        for (T& value : u) value = draw() * scale;
        for (T& value : b) value = draw() * scale;
    }
    const Index3& extent() const { return layout_.extent; }
    host::SweepArgs<T> args() const {
        return {u.origin(), out.origin(), with_rhs_ ? b.origin() : nullptr, layout_.pitch, layout_.plane, cx, cy, cz, diag};
    }
    T updated(Index x, Index y, Index z) const {
        const T xm = u.at(x - 1, y, z), xp = u.at(x + 1, y, z);
        const T inner = with_rhs_ ? x_part(cx, xm, xp, b.at(x, y, z)) : x_part(cx, xm, xp);
        return yz_part(cy, cz, inner, u.at(x, y - 1, z), u.at(x, y + 1, z), u.at(x, y, z - 1), u.at(x, y, z + 1));
    }
    T residual(Index x, Index y, Index z) const { return diag * (updated(x, y, z) - u.at(x, y, z)); }

 private:
    T draw() { return std::uniform_real_distribution<T>(-1, 1)(random_); }

    std::mt19937_64 random_{3};
    FieldLayout layout_;

 public:
    Field<T> u, b, out;
    const T cx = T(0.21), cy = T(0.13), cz = T(0.16), diag = T(5.7);

 private:
    bool with_rhs_;
};

/// Ranges with ends on and off every vector's width, thin ones, and empty ones.
inline std::vector<host::Range> ranges(const Index3& n) {
    std::vector<host::Range> all{{{0, 0, 0}, {n[0], n[1], n[2]}}};
    for (Index from = 0; from <= 17; ++from) {
        for (const Index width : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33}) {
            if (from + width <= n[0]) all.push_back({{from, 1, 2}, {from + width, 3, 4}});
        }
    }
    all.push_back({{n[0] - 1, 0, 0}, {n[0], n[1], n[2]}});
    all.push_back({{0, n[1] - 1, 0}, {n[0], n[1], n[2]}});
    all.push_back({{5, 0, n[2] - 1}, {n[0] - 3, n[1], n[2]}});
    all.push_back({{0, 2, 0}, {n[0], 2, n[2]}});
    all.push_back({{0, 0, 3}, {n[0], n[1], 3}});
    return all;
}

template <class Visit>
void for_cells(const host::Range& r, Visit visit) {
    for (Index z = r.lo[2]; z < r.hi[2]; ++z) {
        for (Index y = r.lo[1]; y < r.hi[1]; ++y) {
            for (Index x = r.lo[0]; x < r.hi[0]; ++x) visit(x, y, z);
        }
    }
}

inline std::string text(const char* isa, const host::Range& r) {
    std::string result = isa;
    for (int a = 0; a < 3; ++a) result += " [" + std::to_string(r.lo[a]) + ", " + std::to_string(r.hi[a]) + ")";
    return result;
}

}  // namespace jacobi::test
