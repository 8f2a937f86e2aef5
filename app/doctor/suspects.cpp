#include "suspects.hpp"

#include <fmt/format.h>

#include <fstream>

namespace jacobi::doctor {
namespace {

const char* state_of(int pid) {
    std::string line;
    std::getline(std::ifstream(fmt::format("/proc/{}/stat", pid)), line);  // pid (command) state ...
    const auto close = line.rfind(')');
    if (close == std::string::npos || line.size() < close + 3) return "ended";
    switch (line[close + 2]) {
        case 'T':
        case 't': return "stopped";
        case 'D': return "waits for a device or disk";
        case 'Z':
        case 'X': return "ended";
        default: return "";
    }
}

}  // namespace

void look_at_processes(Examination& e, int self) {
    const RankFacts own = e.ranks[self];
    for (RankFacts& r : e.ranks) {
        if (r.pid > 0 && r.boot_id == own.boot_id && r.pid_namespace == own.pid_namespace) r.state = state_of(r.pid);
    }
}

}  // namespace jacobi::doctor
