#include "processes.hpp"

#include <fmt/format.h>

#include <fstream>

namespace jacobi {

std::string state_of_process(int pid) {
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

std::string silent_ranks(const Topology& topology) {
    constexpr int shown = 4;
    std::string text;
    int count = 0;
    for (std::size_t r = 0; r < topology.pid_of.size(); ++r) {
        if (topology.pid_of[r] == 0) continue;
        const std::string state = state_of_process(topology.pid_of[r]);
        if (state.empty() || ++count > shown) continue;
        text += fmt::format("{}rank {} ({}, process {}, {})", count > 1 ? ", " : "; in no state to answer: ", r,
                            topology.host_of[r], topology.pid_of[r], state);
    }
    return count > shown ? fmt::format("{} and {} more", text, count - shown) : text;
}

}  // namespace jacobi
