#include "report.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "deck_reader.hpp"
#include "json.hpp"
#include "report_file.hpp"

namespace jacobi {
namespace {

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

/// What follows the origin.
Json document(const RunRecord& r) {
    const Config& c = r.config;
    const bool checked = !r.checks.empty();
    Json phases = Json::object();
    for (const auto& [phase, seconds] : r.phases) phases[phase] = number(seconds);
    return {{"problem", name(c.problem.kind)},
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
            {"plan", plan_json(r)},
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
              {"plan", r.plan.seconds},
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

}  // namespace

std::string report_text(const RunRecord& record) {
    Json json = origin_json(record, report_schema);
    json.update(document(record));
    return json_text(json);
}

void write_report(const RunRecord& record, const std::string& path) { replace_file(path, report_text(record)); }

}  // namespace jacobi
