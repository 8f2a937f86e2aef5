#include "results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "deck_reader.hpp"
#include "output_path.hpp"
#include "part_file.hpp"
#include "report.hpp"
#include "setting.hpp"
#include "snapshot.hpp"

namespace jacobi {

void Results::dump(const Check& check, const std::string& path) {
    const double begin = MPI_Wtime();
    const Watchdog watch = guards_.guard(
        "writing " + path, static_cast<double>(snapshot_bytes(config_.problem.grid, config_.solver.precision)) / 1e7,
        [path] { PartFile::remove_for_all(path); });
    SnapshotInfo info;
    info.grid = config_.problem.grid;
    info.precision = config_.solver.precision;
    info.iteration = check.iteration;
    info.residual_max = check.residual_max;
    info.digest = field_digest(backend_, exchange_);
    info.deck = to_yaml(config_);
    info.version = record_.version;
    info.git = record_.git;
    info.ranks = record_.ranks;
    info.decomposition = record_.decomposition;
    info.transports = fmt::format("{}", fmt::join(record_.transports(), ", "));
    write_snapshot(topology_.world.get(), path, info, exchange_.block(), config_.output.compression,
                   [&](Index z0, Index z1, void* to) { backend_.read_planes(exchange_.generation(), z0, z1, to); });
    if (topology_.rank() == 0) {
        record_.files.push_back(path);
        if (config_.output.every > 0) {
            dumps_.emplace_back(path, static_cast<double>(check.iteration));
            write_series(config_.output.file, dumps_);
        }
    }
    record_.output_s += slowest(MPI_Wtime() - begin);
}

void Results::store_field() {
    const std::string& file = config_.output.file;
    if (file.empty()) return;
    const bool series = config_.output.every > 0;
    dump(record_.checks.back(), series ? dump_path(file, record_.iterations) : file);
    if (series) record_.files.push_back(series_path(file));
}

void Results::store_report() {
    std::string fault;
    if (topology_.rank() == 0) {
        try {
            const auto& [json, csv] = config_.report;
            if (!json.empty()) write_report(record_, json), record_.files.push_back(json);
            if (!csv.empty()) append_csv(record_, csv), record_.files.push_back(csv);
        } catch (const Error& error) {
            fault = error.what();
        }
    }
    fault = broadcast(fault);
    if (!fault.empty()) throw Error(fault, Exit::failure, true);
}

}  // namespace jacobi
