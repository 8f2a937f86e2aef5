#include "topology.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>

namespace jacobi {

Communicator::~Communicator() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    // Freeing is collective: not while one rank's error unwinds, or it would wait for ranks that know nothing of it.
    if (comm_ != MPI_COMM_NULL && finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}
int Communicator::rank() const {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    return rank;
}
int Communicator::size() const {
    int size = 0;
    MPI_Comm_size(comm_, &size);
    return size;
}

std::string boot_id() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

std::string name_of_namespace(const char* kind) {
    std::error_code ignored;
    return std::filesystem::read_symlink(fmt::format("/proc/self/ns/{}", kind), ignored).string();
}

namespace {

/// Process ids mean something within one kernel's one PID namespace.
std::vector<int> visible_processes(MPI_Comm comm, int size) {
    struct Process {
        std::uint64_t place;
        std::int64_t pid;
    };
    const Process mine{std::hash<std::string>{}(boot_id() + name_of_namespace("pid")), getpid()};
    std::vector<Process> all(size);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
    std::vector<int> pids;
    const bool known = !boot_id().empty();  // else all hosts look alike
    for (const Process& p : all) pids.push_back(known && p.place == mine.place ? static_cast<int>(p.pid) : 0);
    return pids;
}

int usable_cores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

/// Cores that a machine's ranks may use together: the union of their affinity masks.
int machine_cores(MPI_Comm machine) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return usable_cores();
    std::vector<unsigned char> mask(sizeof set), all(sizeof set);
    std::copy_n(reinterpret_cast<unsigned char*>(&set), sizeof set, mask.begin());
    MPI_Allreduce(mask.data(), all.data(), static_cast<int>(mask.size()), MPI_BYTE, MPI_BOR, machine);
    std::copy(all.begin(), all.end(), reinterpret_cast<unsigned char*>(&set));
    return std::max(1, CPU_COUNT(&set));
}

/// The part of a machine's ranks that this one is in when they are cut into `parts` pretended nodes.
Communicator pretended_node(const Communicator& machine, int parts, MPI_Comm world) {
    int least = machine.size();
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, world);
    if (parts > least) {
        throw Error(
            fmt::format("comm.virtual_nodes: {} pretended nodes cannot be made of the {} rank{} of one machine; expected at "
                        "most {}, or more ranks a machine",
                        parts, least, least == 1 ? "" : "s", least),
            Exit::usage, true);
    }
    const auto part = static_cast<std::int64_t>(machine.rank()) * parts / machine.size();
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split(machine.get(), static_cast<int>(part), machine.rank(), &node);
    return Communicator(node);
}

}  // namespace

Topology discover_topology(MPI_Comm comm, int virtual_nodes) {
    Topology t;
    int rank = 0, size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm split = MPI_COMM_NULL;
    MPI_Comm_split(comm, 0, rank, &split);
    t.world = Communicator(split);

    MPI_Comm shared = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
    const Communicator candidates(shared);
    const int color = static_cast<int>(std::hash<std::string>{}(boot_id()) & 0x7fffffff);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split(candidates.get(), color, rank, &machine);
    t.machine = Communicator(machine);
    t.node = pretended_node(t.machine, virtual_nodes, comm);

    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    t.host = name;
    std::vector<char> names(static_cast<std::size_t>(size) * MPI_MAX_PROCESSOR_NAME);
    MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, comm);
    for (int r = 0; r < size; ++r) t.host_of.emplace_back(names.data() + static_cast<std::size_t>(r) * MPI_MAX_PROCESSOR_NAME);

    t.pid_of = visible_processes(comm, size);

    // A node is known by its lowest rank; nodes are numbered in that order.
    int first = rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, t.node.get());
    std::vector<int> firsts(size);
    MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, comm);
    std::vector<int> nodes(firsts);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    t.node_count = static_cast<int>(nodes.size());
    for (int r = 0; r < size; ++r) {
        t.node_of.push_back(static_cast<int>(std::lower_bound(nodes.begin(), nodes.end(), firsts[r]) - nodes.begin()));
        t.node_rank_of.push_back(static_cast<int>(std::count(t.node_of.begin(), t.node_of.end() - 1, t.node_of.back())));
    }

    t.cores = machine_cores(t.machine.get());
    // A rank with a core of its own spins for about 20 us before it yields; ranks that share cores yield at once.
    t.poll.spins = t.machine.size() <= t.cores ? 400 : 0;
    return t;
}

}  // namespace jacobi
