// Which rank gets which block where ranks sit on several nodes.
#pragma once

#include <vector>

#include "decomposition.hpp"

namespace jacobi {

/// Face cells whose neighbours across the face are on another node, counted from both sides: what a sweep sends between nodes.
Index off_node_cells(const Decomposition& decomposition, const std::vector<int>& node_of);

/// The same blocks, handed out so that the ranks of a node form a brick of blocks and the bricks' order is that of the nodes. The
/// plain order stays where there is one node, where nodes have different numbers of ranks, and where no brick that divides the
/// grid of blocks has fewer off-node cells. `node_of`: each rank's node, numbered from 0.
Decomposition arrange_by_node(const Decomposition& plain, const std::vector<int>& node_of);

}  // namespace jacobi
