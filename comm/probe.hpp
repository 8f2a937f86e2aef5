// Start-up check that a mapped neighbour really receives what is stored into it.
#pragma once

#include <vector>

#include "edges.hpp"

namespace jacobi {

/// Collective. Each rank stores a pattern of its own into the neighbour's probe line, the way the boundary kernel stores halos;
/// the owner checks it on its own side. (There are systems whose driver reports peer access and drops the writes.) An edge that
/// fails at either end loses its transport at both ends and gets the reason.
void probe_edges(const Topology& topology, PeerMemory& memory, class Backend& backend, std::vector<Edge>& edges);

}  // namespace jacobi
