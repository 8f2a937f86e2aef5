// The host back end: messages.
#include <cstring>
#include <new>

#include "host_backend.hpp"

namespace jacobi::host {

template <class T>
std::shared_ptr<std::byte> HostBackend<T>::message_memory(std::size_t bytes, bool) {
    constexpr std::align_val_t alignment{row_alignment};
    void* raw = ::operator new(bytes, alignment);
    std::memset(raw, 0, bytes);
    return {static_cast<std::byte*>(raw), [](std::byte* p) { ::operator delete(p, alignment); }};
}

template <class T>
void HostBackend<T>::store_halos(Generation g, const std::vector<PackedHalo>& halos) {
    T* u = field(g);
    team_.run([&](int t) {
        for (const PackedHalo& halo : halos) {
            const auto& lo = halo.cells.lo;
            const T* data = reinterpret_cast<const T*>(halo.data);
            for_cells(part(halo.cells, t), [&](Index x, Index y, Index z) {
                u[setup_.layout.at(x, y, z)] = data[(x - lo[0]) + halo.pitch * (y - lo[1]) + halo.plane * (z - lo[2])];
            });
        }
    });
}

template class HostBackend<double>;
template class HostBackend<float>;

}  // namespace jacobi::host
