#include "output_path.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "error.hpp"

namespace jacobi {

namespace fs = std::filesystem;

std::string check_output_path(const std::string& path, bool overwrite, std::uint64_t bytes) {
    const std::string parent = fs::path(path).parent_path().string();
    const std::string folder = parent.empty() ? "." : parent;
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0) {
        return fmt::format("cannot write {}: folder {}: {}{}", path, folder, std::strerror(errno),
                           errno == ENOENT ? "; create it first" : "");
    }
    if (!S_ISDIR(status.st_mode)) return fmt::format("cannot write {}: {} is not a folder", path, folder);

    if (stat(path.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) return fmt::format("cannot write {}: it is a folder; name a file in it", path);
        if (!S_ISREG(status.st_mode)) return fmt::format("cannot write {}: it is not a regular file", path);
        if (!overwrite) return fmt::format("{} exists and overwrite is false; remove it or choose another name", path);
    } else if (errno != ENOENT) {
        return fmt::format("cannot write {}: {}", path, std::strerror(errno));
    }
    if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
        return fmt::format("cannot write {}: folder {}: {}", path, folder, std::strerror(errno));
    }

    struct rlimit limit {};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes) {
        return fmt::format("cannot write {}: it needs {} bytes, but files are limited to {} bytes (ulimit -f)", path, bytes,
                           limit.rlim_cur);
    }
    struct statvfs space {};
    if (statvfs(folder.c_str(), &space) == 0) {
        const std::uint64_t free = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
        if (free < bytes) {
            return fmt::format("cannot write {}: it needs {} bytes, but folder {} has only {} bytes free", path, bytes, folder,
                               free);
        }
    }
    return {};
}

std::string dump_path(const std::string& path, Index iteration) {
    const fs::path name(path);
    return (name.parent_path() / fmt::format("{}_{:06}{}", name.stem().string(), iteration, name.extension().string())).string();
}

std::string series_path(const std::string& path) { return fs::path(path).replace_extension(".vtkhdf.series").string(); }

void write_series(const std::string& path, const std::vector<std::pair<std::string, double>>& dumps) {
    nlohmann::json index{{"file-series-version", "1.0"}, {"files", nlohmann::json::array()}};
    for (const auto& [name, time] : dumps)
        index["files"].push_back({{"name", fs::path(name).filename().string()}, {"time", time}});

    const std::string series = series_path(path), part = series + ".part";
    std::ofstream file(part);
    file << index.dump(2) << '\n';
    file.close();
    std::error_code fault;
    if (file) fs::rename(part, series, fault);
    if (!file || fault) {
        const std::string cause = std::strerror(fault ? fault.value() : errno);
        fs::remove(part, fault);
        throw Error(fmt::format("cannot write {}: {}", series, cause));
    }
}

}  // namespace jacobi
