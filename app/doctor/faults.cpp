#include "faults.hpp"

#include <csignal>
#include <cstdlib>
#include <sstream>

namespace jacobi::doctor {
namespace {

bool listed(const std::string& wanted) {
    const char* faults = std::getenv("JACOBI_FAULT");
    std::istringstream list(faults != nullptr ? faults : "");
    for (std::string fault; std::getline(list, fault, ',');) {
        if (fault == wanted) return true;
    }
    return false;
}

}  // namespace

bool injected(const std::string& kind, int rank) { return listed(kind) || listed(kind + ':' + std::to_string(rank)); }

void injected_hang(int rank, const std::string& step) {
    while (listed("hang:" + std::to_string(rank) + ':' + step)) std::raise(SIGSTOP);
}

}  // namespace jacobi::doctor
