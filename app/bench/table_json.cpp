#include "table_json.hpp"

#include <fmt/format.h>

#include <set>

#include "json.hpp"

namespace jacobi::bench {
namespace {

Json depth(const std::optional<int>& value) { return value ? Json(*value) : Json("auto"); }

Json edge_reasons(const RunRecord& record) {
    std::map<std::string, std::set<std::string>> reasons;
    for (const Edge& e : record.edges) reasons[e.transport].insert(e.reason);
    Json object = Json::object();
    for (const auto& [transport, texts] : reasons) object[transport] = texts;
    return object;
}

Json asked(const Case& c) {
    return {{"cells", c.cells},
            {"problem", name(c.problem)},
            {"precision", name(c.precision)},
            {"asked", {{"depth", depth(c.depth)}, {"rung", c.rung}, {"transport", c.transport}}}};
}

Json measured(const Row& row) {
    const RunRecord& r = row.record;
    const double updates = static_cast<double>(volume(r.config.problem.grid.cells)) * 1e-3;  // over microseconds: GLUP/s
    const bool bound = r.copy_gbs > 0;  // blocks of a few cells are not copied
    Json json = asked(row.asked);
    json.update({{"temporal_depth", r.temporal_depth},
                 {"temporal_depth_reason", r.depth_reason},
                 {"pass_shape", r.pass_shape},
                 {"plan", plan_json(r)},
                 {"halo_depth", r.halo_depth},
                 {"sync", r.sync},
                 {"sync_reason", r.sync_reason},
                 {"transports", r.transports()},
                 {"transport_reasons", edge_reasons(r)},
                 {"sweeps", r.iterations},
                 {"us_per_sweep", {{"min", row.us.min}, {"median", row.us.median}, {"max", row.us.max}}},
                 {"glups",
                  {{"min", number(updates / row.us.max)},
                   {"median", number(updates / row.us.median)},
                   {"max", number(updates / row.us.min)}}},
                 {"spread", number((row.us.max - row.us.min) / row.us.median)},
                 {"bound",
                  {{"copy_gbs", bound ? number(r.copy_gbs) : Json()},
                   {"bytes_per_point", r.bytes_per_point},
                   {"one_pass_glups", bound ? number(r.one_pass_glups()) : Json()}}},
                 {"over_one_pass", bound ? number(r.share()) : Json()},
                 {"model_bytes_per_point", row.bytes_a_sweep()},
                 {"over_staged_mpi", row.over_staged ? number(*row.over_staged) : Json()},
                 {"bits",
                  {{"sweeps", row.verified_sweeps},
                   {"digest", fmt::format("{:016x}", row.digest)},
                   {"digest_of_random", fmt::format("{:016x}", row.random_digest)},
                   {"right", row.wrong.empty()}}}});
    return json;
}

}  // namespace

std::string table_json(const Table& table) {
    Json rows = Json::array(), refused = Json::array();
    for (const Row& row : table.rows) {
        if (row.measured()) {
            rows.push_back(measured(row));
        } else {
            Json json = asked(row.asked);
            json["reason"] = row.refusal;
            refused.push_back(json);
        }
    }
    Json document = origin_json(table.machine, bench_schema);
    document.update({{"decomposition", table.common.ranks},
                     {"periodic", table.common.periodic},
                     {"settings", table.common.overrides},
                     {"repeats", table.repeats},
                     {"seconds", table.seconds},
                     {"warnings", table.machine.warnings},
                     {"complete", table.complete},
                     {"rows", rows},
                     {"refused", refused},
                     {"notes", table.notes}});
    return json_text(document);
}

}  // namespace jacobi::bench
