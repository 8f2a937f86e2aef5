#include <fmt/format.h>

#include <cstring>

#include "peer_memory.hpp"

namespace jacobi {

std::string PeerRecord::mismatch(const ArenaLayout& expected) const {
    if (std::memcmp(magic, PeerRecord{}.magic, sizeof magic) != 0) return "its peer record is none of this program's";
    if (version != current_version)
        return fmt::format("its peer record has version {}, this build writes {}", version, current_version);
    if (element != expected.field.element)
        return fmt::format("it stores values of {} bytes, this rank of {}", element, expected.field.element);
    for (int a = 0; a < 3; ++a) {
        if (extent[a] != expected.field.extent[a]) {
            return fmt::format("its block has {} cells along {}, {} were expected", extent[a], axis_names[a],
                               expected.field.extent[a]);
        }
    }
    if (halo != expected.field.halo) return fmt::format("its halo has {} layers, this rank's {}", halo, expected.field.halo);
    if (bytes != expected.bytes) return fmt::format("its arena has {} bytes, {} were expected", bytes, expected.bytes);
    return {};
}

}  // namespace jacobi
