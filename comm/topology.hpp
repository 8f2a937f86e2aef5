// Who runs where: nodes, ranks of a node, cores.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "wait.hpp"

namespace jacobi {

/// A communicator that frees itself; freeing is collective, so objects holding one live equally long on all ranks.
class Communicator {
 public:
    Communicator() = default;
    explicit Communicator(MPI_Comm comm) : comm_(comm) {}
    Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
    Communicator& operator=(Communicator&& other) noexcept {
        std::swap(comm_, other.comm_);
        return *this;
    }
    ~Communicator();
    MPI_Comm get() const { return comm_; }
    int rank() const;
    int size() const;

 private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

struct Topology {
    Communicator world;    ///< a split of the caller's communicator without any topology attached
    Communicator machine;  ///< the ranks of this machine, which share its cores and devices
    Communicator node;     ///< the ranks that share memory with this one: the machine's, or a pretended node's among them
    std::string host;
    int node_count = 1;
    std::vector<int> node_of;          ///< node index of every rank
    std::vector<int> node_rank_of;     ///< rank within its node of every rank
    std::vector<std::string> host_of;  ///< host name of every rank
    std::vector<int> pid_of;           ///< process id of every rank; 0 where this process cannot see it (processes.hpp)
    int cores = 1;                     ///< cores this machine lets the program's ranks use together
    PollPolicy poll;

    int rank() const { return world.rank(); }
    int size() const { return world.size(); }
    bool same_node(int a, int b) const { return node_of[a] == node_of[b]; }
};

/// Collective. Ranks share a node when MPI says that they can share memory and their kernels' boot ids agree: host names may be
/// equal on two machines and differ between containers of one. `virtual_nodes` splits each machine's ranks into so many pretended
/// nodes, contiguous in rank order, which share no memory; more than a machine has ranks is an Error (usage, collective).
Topology discover_topology(MPI_Comm comm, int virtual_nodes = 1);

/// What tells this running kernel from all others; empty where /proc does not say.
std::string boot_id();
/// "pid:[4026531836]": the namespace of a kind ("pid", "ipc") that this process is in; empty where /proc does not tell.
std::string name_of_namespace(const char* kind);

}  // namespace jacobi
