#include "json.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <map>

namespace jacobi {
namespace {

/// Each device once, with the number of its ranks; on the host, where devices have no name of their own, each node's.
Json devices(const RunRecord& record) {
    Json list = Json::array();
    std::map<std::string, std::size_t> index;
    for (const RankPlace& p : record.places) {
        const std::string id = p.uuid.empty() ? fmt::format("node {} {}", p.node, p.device) : p.uuid;
        const auto [found, added] = index.emplace(id, list.size());
        if (added) list.push_back({{"host", p.host}, {"name", p.device}, {"uuid", p.uuid}, {"pci", p.pci}, {"ranks", 0}});
        Json& ranks = list[found->second]["ranks"];
        ranks = ranks.get<int>() + 1;
    }
    return list;
}

const char* thread_level(int level) {
    switch (level) {
        case MPI_THREAD_SINGLE: return "single";
        case MPI_THREAD_FUNNELED: return "funneled";
        case MPI_THREAD_SERIALIZED: return "serialized";
        default: return "multiple";
    }
}

void pretty(const Json& value, std::size_t indent, std::string& text) {
    constexpr std::size_t line = 120;
    const std::string compact = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (!value.is_structured() || indent + compact.size() <= line) {
        text += compact;
        return;
    }
    const bool object = value.is_object();
    text += object ? "{" : "[";
    const char* separator = "\n";
    for (const auto& [key, item] : value.items()) {
        text += separator + std::string(indent + 2, ' ');
        if (object) text += Json(key).dump() + ": ";
        pretty(item, indent + 2, text);
        separator = ",\n";
    }
    text += "\n" + std::string(indent, ' ') + (object ? "}" : "]");
}

}  // namespace

Json number(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string now_utc() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

Json origin_json(const RunRecord& r, const char* schema) {
    return {{"schema", schema},
            {"version", r.version},
            {"git", r.git},
            {"date", now_utc()},
            {"host", r.places.empty() ? "" : r.places[0].host},
            {"ranks", r.ranks},
            {"nodes", r.nodes},
            {"mpi", {{"library", r.mpi_library}, {"thread_level", thread_level(r.mpi_thread_level)}}},
            {"backend", r.backend},
            {"backend_reason", r.backend_reason},
            {"devices", devices(r)}};
}

Json plan_json(const RunRecord& r) {
    const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
    Json ranks = Json::object();
    for (const char* source : {"measured", "cached", "given"}) {
        const auto found = r.plan_sources.find(source);
        ranks[source] = found == r.plan_sources.end() ? 0 : found->second;
    }
    return {{"source", text(r.plan.source)}, {"file", text(r.plan.file)}, {"reason", r.plan.reason}, {"ranks", ranks}};
}

std::string json_text(const Json& document) {
    std::string text;
    pretty(document, 0, text);
    return text + '\n';
}

}  // namespace jacobi
