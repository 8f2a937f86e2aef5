#include "report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <mpi.h>
#include <yaml-cpp/yaml.h>

#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "deck_reader.hpp"
#include "report_file.hpp"

namespace jacobi {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// The resolved deck as to_yaml writes it, which stays the one list of keys. A plain scalar that is a JSON value is that value.
Json json_of(const YAML::Node& node) {
    Json result;
    if (node.IsMap()) {
        for (const auto& entry : node) result[entry.first.as<std::string>()] = json_of(entry.second);
    } else if (node.IsSequence()) {
        result = Json::array();
        for (const auto& item : node) result.push_back(json_of(item));
    } else {
        const bool quoted = node.Tag() == "!";
        result = quoted ? Json(Json::value_t::discarded) : Json::parse(node.Scalar(), nullptr, false);
        if (result.is_discarded()) result = node.Scalar();
    }
    return result;
}

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

Json places(const RunRecord& record) {
    Json list = Json::array();
    for (std::size_t rank = 0; rank < record.places.size(); ++rank) {
        const RankPlace& p = record.places[rank];
        list.push_back({{"rank", rank},
                        {"host", p.host},
                        {"node", p.node},
                        {"device", p.device},
                        {"uuid", p.uuid},
                        {"lo", p.block.lo},
                        {"hi", p.block.hi}});
    }
    return list;
}

Json edges(const RunRecord& record) {
    Json list = Json::array();
    for (const Edge& e : record.edges) {
        list.push_back({{"rank", e.rank},
                        {"neighbour", e.neighbour},
                        {"direction", name(e.direction)},
                        {"transport", e.transport},
                        {"bytes_per_sweep", number(record.bytes_per_sweep(e))},
                        {"reason", e.reason}});
    }
    return list;
}

Json transports(const RunRecord& record) {
    Json object = Json::object();
    for (const auto& [transport, traffic] : record.traffic())
        object[transport] = {{"edges", traffic.edges}, {"bytes_per_sweep", number(traffic.bytes_per_sweep)}};
    return object;
}

Json checks(const RunRecord& record) {
    Json list = Json::array();
    for (const Check& c : record.checks) {
        list.push_back(
            {{"iteration", c.iteration}, {"residual_max", number(c.residual_max)}, {"residual_l2", number(c.residual_l2)}});
    }
    return list;
}

/// Null: not measured.
Json peers(const PeerRates& p) {
    const auto rate = [](double value) { return value > 0 ? number(value) : Json(); };
    return {{"memory", p.memory.empty() ? Json() : Json(p.memory)},
            {"copy_gbs", rate(p.copy_gbs)},
            {"store_gbs", {{"x", rate(p.store_gbs[0])}, {"y", rate(p.store_gbs[1])}, {"z", rate(p.store_gbs[2])}}},
            {"flag_us", rate(p.flag_us)},
            {"reason", p.reason}};
}

Json verification(const Verification& v) {
    const auto outcome = v.outcome();
    const bool skipped = outcome == Verification::Verdict::skipped;
    return {{"kind", v.kind},
            {"passed", skipped ? Json() : Json(outcome == Verification::Verdict::pass)},
            {"error", v.kind == "none" ? Json() : number(v.error)},
            {"text", v.text}};
}

const char* thread_level(int level) {
    switch (level) {
        case MPI_THREAD_SINGLE: return "single";
        case MPI_THREAD_FUNNELED: return "funneled";
        case MPI_THREAD_SERIALIZED: return "serialized";
        default: return "multiple";
    }
}

Json document(const RunRecord& r) {
    const Config& c = r.config;
    const bool checked = !r.checks.empty();
    Json phases = Json::object();
    for (const auto& [phase, seconds] : r.phases) phases[phase] = number(seconds);
    return {{"schema", report_schema},
            {"version", r.version},
            {"git", r.git},
            {"date", now_utc()},
            {"host", r.places.empty() ? "" : r.places[0].host},
            {"ranks", r.ranks},
            {"nodes", r.nodes},
            {"mpi", {{"library", r.mpi_library}, {"thread_level", thread_level(r.mpi_thread_level)}}},
            {"backend", r.backend},
            {"backend_reason", r.backend_reason},
            {"devices", devices(r)},
            {"problem", name(c.problem.kind)},
            {"precision", name(c.solver.precision)},
            {"cells", c.problem.grid.cells},
            {"decomposition", r.decomposition},
            {"sync", r.sync},
            {"sync_reason", r.sync_reason},
            {"overlap", c.comm.overlap},
            {"ablate", name(c.comm.ablate)},
            {"temporal_depth", r.temporal_depth},
            {"temporal_depth_reason", r.depth_reason},
            {"pass_shape", r.pass_shape},
            {"halo_depth", r.halo_depth},
            {"bytes_per_rank", r.bytes_per_rank},
            {"warnings", r.warnings},
            {"iterations", r.iterations},
            {"converged", r.converged},
            {"residual_max", checked ? number(r.checks.back().residual_max) : Json()},
            {"residual_l2", checked ? number(r.checks.back().residual_l2) : Json()},
            {"digest", fmt::format("{:016x}", r.digest)},
            {"time_s",
             {{"setup", r.setup_s},
              {"solve", r.solve_s},
              {"check", r.check_s},
              {"output", r.output_s},
              {"verify", r.verify_s},
              {"total", r.total_s}}},
            {"us_per_iteration", r.us_per_iteration()},
            {"glups", number(r.glups())},
            {"phases", phases},
            {"bound",
             {{"copy_gbs", number(r.copy_gbs)},
              {"bytes_per_point", r.bytes_per_point},
              {"one_pass_glups", number(r.one_pass_glups())},
              {"share", number(r.share())},
              {"peer", peers(r.peers)}}},
            {"verification", verification(r.verification)},
            {"files", r.files},
            {"deck", {{"resolved", json_of(YAML::Load(to_yaml(c)))}, {"text", c.deck_text}, {"overrides", c.overrides}}},
            {"checks", checks(r)},
            {"places", places(r)},
            {"transports", transports(r)},
            {"edges", edges(r)}};
}

/// Values short enough for one line stand on one, so that people can read the file too. Bytes that are no UTF-8 (a file's name
/// may have them) become U+FFFD.
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

std::string now_utc() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string report_text(const RunRecord& record) {
    std::string text;
    pretty(document(record), 0, text);
    return text + '\n';
}

void write_report(const RunRecord& record, const std::string& path) { replace_file(path, report_text(record)); }

}  // namespace jacobi
