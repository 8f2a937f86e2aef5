#include "plan.hpp"

#include <algorithm>

namespace jacobi::bench {
namespace {

template <class T>
std::vector<T> given_or(const std::vector<T>& given, std::vector<T> otherwise) {
    return given.empty() ? otherwise : given;
}

struct Way {
    std::string transport, rung;
};

/// Transports and rungs, staged messages first.
std::vector<Way> ways(const BenchOptions& o, int ranks, const Support& build) {
    std::vector<std::string> rungs = o.rungs;
    if (rungs.empty()) rungs = o.quick ? std::vector<std::string>{"auto"} : build.rungs;
    std::vector<Way> all;
    if (ranks > 1 && o.transports.empty()) all.push_back({"mpi", "barrier"});
    // A rank alone has no edge but to itself.
    const std::vector<std::string> transports = ranks == 1 ? std::vector<std::string>{"auto"} : given_or(o.transports, {"auto"});
    for (const std::string& transport : transports) {
        for (const std::string& rung : rungs) all.push_back({transport, rung});
    }
    std::stable_partition(all.begin(), all.end(), [](const Way& w) { return w.transport == "mpi" && w.rung == "barrier"; });
    return all;
}

}  // namespace

bool is_staged(const Case& c) { return c.transport == "mpi" && c.rung == "barrier"; }

std::vector<Case> plan(const BenchOptions& o, const std::string& backend, int ranks, const Support& build) {
    std::vector<Index3> sizes;
    for (const Index n : o.quick ? std::vector<Index>{64} : std::vector<Index>{64, 128, backend == "host" ? 256 : 512})
        sizes.push_back({n, n, n});
    using Depths = std::vector<std::optional<int>>;
    const Depths depths = given_or(o.depths, o.quick ? Depths{1, std::nullopt} : Depths{1, 2, 4});
    std::vector<Case> cases;
    for (const Index3& cells : given_or(o.sizes, sizes)) {
        for (const ProblemKind problem : given_or(o.problems, {ProblemKind::random})) {
            for (const Precision precision : given_or(o.precisions, {Precision::float64, Precision::float32})) {
                for (const auto& depth : depths) {
                    for (const Way& way : ways(o, ranks, build))
                        cases.push_back({cells, problem, precision, depth, way.transport, way.rung});
                }
            }
        }
    }
    return cases;
}

Index verified_sweeps(const Index3& cells, const std::vector<Case>& cases, int most) {
    int deepest = 1;
    for (const Case& c : cases) {
        if (c.depth.value_or(1) <= most) deepest = std::max(deepest, c.depth.value_or(1));
    }
    constexpr double updates = 2e9;  // a second or two of a slow host
    const double affordable =
        updates / (static_cast<double>(cells[0]) * static_cast<double>(cells[1]) * static_cast<double>(cells[2]));
    return std::max<Index>(static_cast<Index>(std::clamp(affordable, 13.0, 259.0)), 2 * Index{deepest} + 1);
}

}  // namespace jacobi::bench
