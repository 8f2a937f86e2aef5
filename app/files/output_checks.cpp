#include "output_checks.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "output_path.hpp"
#include "snapshot.hpp"

namespace jacobi {
namespace {

namespace fs = std::filesystem;

/// The file behind a name: "u", "./u" and a link to u are one.
fs::path file_behind(const std::string& name) {
    std::error_code fault;
    const fs::path path = fs::weakly_canonical(fs::absolute(name, fault), fault);
    return fault ? fs::path(name) : path;  // a name that the system refuses is refused with its reason elsewhere
}

/// The sweep of a dump of this series, from its file's name.
std::optional<Index> dump_iteration(const std::string& series, const fs::path& file) {
    const std::string name = file.filename().string();
    const std::size_t begin = fs::path(series).stem().string().size() + 1;
    Index sweep = 0;
    if (begin >= name.size() || std::from_chars(name.data() + begin, name.data() + name.size(), sweep).ec != std::errc{})
        return {};
    if (sweep < 0 || fs::path(dump_path(series, sweep)).filename() != name) return {};
    return sweep;
}

/// May a run write this dump? It does at multiples of output.every, and where it ends: at the last sweep, or at a check that
/// finds it converged or diverged.
bool may_dump(const Config& c, Index sweep) {
    const auto multiple = [sweep](Index every) { return every > 0 && sweep % every == 0; };
    return sweep <= c.solver.iterations &&
           (sweep == c.solver.iterations || multiple(c.output.every) || multiple(c.solver.check_every));
}

bool is_series(const Config& config) { return !config.output.file.empty() && config.output.every > 0; }

/// No two results in one file, and none in one that the run reads.
std::string check_distinct(const Config& c, const std::string& deck, const std::string& report_key) {
    std::vector<std::pair<std::string, std::string>> named{{"the deck", deck}};
    if (c.device.plan != "auto" && c.device.plan != "measure") named.emplace_back("device.plan", c.device.plan);
    if (is_series(c)) {
        named.emplace_back("the index of output.file", series_path(c.output.file));
    } else {
        named.emplace_back("output.file", c.output.file);
    }
    named.emplace_back("checkpoint.file", c.checkpoint.file);
    named.emplace_back(report_key, c.report.file);
    named.emplace_back("report.csv", c.report.csv);

    for (auto file = named.begin(); file != named.end(); ++file) {
        if (file->second.empty()) continue;
        const fs::path behind = file_behind(file->second);
        for (auto earlier = named.begin(); earlier != file; ++earlier) {
            if (!earlier->second.empty() && file_behind(earlier->second) == behind)
                return fmt::format("{}: {} is {} too; give it a file of its own", file->first, file->second, earlier->first);
        }
        if (!is_series(c) || behind.parent_path() != file_behind(c.output.file).parent_path()) continue;
        const auto sweep = dump_iteration(c.output.file, behind);
        if (sweep && may_dump(c, *sweep)) {
            return fmt::format("{}: {} is the dump of sweep {} of output.file too; give it a file of its own", file->first,
                               file->second, *sweep);
        }
    }
    return {};
}

/// The dumps that are there already, of an earlier run: of a series only these can be in the way.
std::string check_dumps(const Config& c) {
    const fs::path folder = fs::path(c.output.file).parent_path();
    std::set<Index> sweeps;
    std::error_code fault;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, fault), end; !fault && entry != end;
         entry.increment(fault)) {
        const auto sweep = dump_iteration(c.output.file, entry->path());
        if (sweep && may_dump(c, *sweep)) sweeps.insert(*sweep);
    }
    for (const Index sweep : sweeps) {
        std::string text = check_output_path(dump_path(c.output.file, sweep), c.output.overwrite, 0);
        if (!text.empty()) return text;
    }
    return check_output_path(series_path(c.output.file), c.output.overwrite, 0);
}

}  // namespace

std::string check_outputs(const Config& c, const std::string& deck, const std::string& report_key, bool room) {
    std::string fault = check_distinct(c, deck, report_key);
    if (fault.empty() && !c.output.file.empty()) {
        const bool series = is_series(c);
        const std::string last = series ? dump_path(c.output.file, c.solver.iterations) : c.output.file;
        fault = check_output_path(last, c.output.overwrite, room ? snapshot_bytes(c.problem.grid, c.solver.precision) : 0);
        if (fault.empty() && series) fault = check_dumps(c);
    }
    for (const std::string& file : {c.report.file, c.report.csv}) {
        if (fault.empty() && !file.empty()) fault = check_output_path(file, true, 0);
    }
    return fault;
}

}  // namespace jacobi
