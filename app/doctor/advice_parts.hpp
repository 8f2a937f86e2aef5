// The parts of advise(), one a subject.
#pragma once

#include <string>
#include <vector>

#include "advice.hpp"

namespace jacobi::doctor {

void advise_on_ranks(const Examination& e, std::vector<Finding>& findings);
void advise_on_devices(const Examination& e, std::vector<Finding>& findings);
void advise_on_pairs(const Examination& e, std::vector<Finding>& findings);
void advise_on_shared_memory(const Examination& e, std::vector<Finding>& findings);
void advise_on_mpi(const Examination& e, std::vector<Finding>& findings);

/// Ranks that have reported to the end.
std::vector<const RankFacts*> live_ranks(const Examination& e);
/// Would device.backend: auto take CUDA? It does when every rank sees a device.
bool on_gpus(const Examination& e);
int node_count(const Examination& e);
/// Could the memory of some device not be opened? What usually prevents that is a failure only where it did.
bool opening_failed(const Examination& e);
/// "rank 3", "ranks 0, 1 and 2", "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 8 more".
std::string ranks_text(const std::vector<int>& ranks);
/// The device that a rank would drive; null when it has none.
const DeviceFacts* driven(const RankFacts& rank);

}  // namespace jacobi::doctor
