#include "memory_need.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <sstream>

#include "edges.hpp"
#include "shared_window.hpp"

namespace jacobi {

namespace {

std::string line(const std::string& kind, const std::string& where, std::uint64_t needed, std::uint64_t free) {
    return fmt::format("{}\t{}\t{}\t{}\n", kind, where, needed, free);
}

std::uint64_t sum(std::uint64_t bytes, const Communicator& ranks) {
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_SUM, ranks.get());
    return bytes;
}

/// Of this rank's machine or device, a line a kind.
std::string needs_here(const Topology& topology, const Backend& backend, std::uint64_t arena, std::uint64_t rhs, int sharers) {
    const std::optional<std::uint64_t> free = backend.free_memory();
    if (backend.name() != "host") {
        const std::string device = fmt::format("{} of rank {} ({})", backend.device_name(), topology.rank(), topology.host);
        return free ? line("device memory", device, (arena + rhs) * static_cast<std::uint64_t>(sharers), *free) : "";
    }
    const std::uint64_t all = sum(arena + rhs, topology.machine);
    const std::uint64_t shared = sum(topology.node.size() > 1 ? arena : 0, topology.machine);
    std::string text = free ? line("memory", topology.host, all, *free) : "";
    struct statvfs room {};
    if (shared > 0 && statvfs(window_folder().c_str(), &room) == 0) {
        text += line("shared memory in " + window_folder(), topology.host, shared,
                     static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize);
    }
    return text;
}

/// Has `a` less to spare?
bool tighter(const MemoryNeed& a, const MemoryNeed& b) {
    const auto spare = [](const MemoryNeed& need) { return static_cast<double>(need.free) - static_cast<double>(need.needed); };
    return spare(a) < spare(b);
}

std::string size(std::uint64_t bytes) {
    const double mib = static_cast<double>(bytes) / (1 << 20);
    return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

}  // namespace

std::string MemoryNeed::text() const {
    return fmt::format("{} of {} on {}, where {} are free", size(needed), kind, where, size(free));
}

std::vector<MemoryNeed> memory_needs(const Topology& topology, const Backend& backend, std::uint64_t arena, std::uint64_t rhs,
                                     int sharers) {
    std::vector<MemoryNeed> needs;
    for (const std::string& text : gather_texts(topology.world.get(), needs_here(topology, backend, arena, rhs, sharers))) {
        std::istringstream lines(text);
        for (MemoryNeed need; std::getline(lines, need.kind, '\t') && std::getline(lines, need.where, '\t');) {
            lines >> need.needed >> need.free;
            lines.ignore(1);
            const auto known = std::find_if(needs.begin(), needs.end(), [&](const MemoryNeed& n) { return n.kind == need.kind; });
            if (known == needs.end()) {
                needs.push_back(need);
            } else if (tighter(need, *known)) {
                *known = need;
            }
        }
    }
    return needs;
}

}  // namespace jacobi
