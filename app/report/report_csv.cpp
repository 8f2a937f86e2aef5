#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "json.hpp"
#include "report.hpp"
#include "report_file.hpp"

namespace jacobi {
namespace {

std::string csv_field(std::string text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    for (std::size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
    return '"' + text + '"';
}

}  // namespace

void append_csv(const RunRecord& r, const std::string& path) {
    std::string header, line;
    const auto column = [&](const char* title, const auto& value) {
        header += (header.empty() ? "" : ",") + std::string(title);
        line += (line.empty() ? "" : ",") + csv_field(fmt::format("{}", value));
    };
    const Config& c = r.config;
    const Check last = r.checks.empty() ? Check{0, std::nan(""), std::nan("")} : r.checks.back();
    column("date", now_utc());
    column("version", r.version);
    column("git", r.git);
    column("host", r.places.empty() ? "" : r.places[0].host);
    column("ranks", r.ranks);
    column("nodes", r.nodes);
    column("backend", r.backend);
    column("device", r.places.empty() ? "" : r.places[0].device);
    column("problem", name(c.problem.kind));
    column("precision", name(c.solver.precision));
    for (int a = 0; a < 3; ++a) column(std::array{"nx", "ny", "nz"}[a], c.problem.grid.cells[a]);
    for (int a = 0; a < 3; ++a) column(std::array{"px", "py", "pz"}[a], r.decomposition[a]);
    column("transports", fmt::format("{}", fmt::join(r.transports(), "+")));
    column("sync", r.sync);
    column("overlap", c.comm.overlap);
    column("ablate", name(c.comm.ablate));
    column("temporal_depth", r.temporal_depth);
    column("halo_depth", r.halo_depth);
    column("iterations", r.iterations);
    column("converged", r.converged);
    column("solve_s", r.solve_s);
    column("us_per_iteration", r.us_per_iteration());
    column("glups", r.glups());
    column("copy_gbs", r.copy_gbs);
    column("share", r.share());
    column("residual_max", last.residual_max);
    column("residual_l2", last.residual_l2);
    column("verification", r.verification.word());
    column("digest", fmt::format("{:016x}", r.digest));
    append_line(path, header, line);
}

}  // namespace jacobi
