#include "plans.hpp"

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace jacobi {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr const char* schema = "jacobi-plan/1";
constexpr std::size_t longest = 1 << 16;  // bytes; a plan has some hundreds

/// FNV-1a: files of different keys get different names. It need not be more than likely, since files hold their key.
std::uint64_t hash(const std::string& text) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

std::string text_of(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n'; }

/// A regular file's text; none where there is no such file, or none that could be a plan.
std::optional<std::string> text_at(const std::string& path) {
    std::error_code fault;
    if (!fs::is_regular_file(path, fault) || fs::file_size(path, fault) > longest || fault) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    return file.is_open() ? std::optional(text) : std::nullopt;
}

/// The document in a text, an object with this schema; else none, and in `fault` what was expected and found.
std::optional<Json> document_of(const std::string& text, std::string& fault) {
    if (text.size() > longest) {
        fault = "longer than " + std::to_string(longest / 1024) + " KiB; a plan has some hundred bytes";
        return std::nullopt;
    }
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::parse_error& error) {
        const std::string what = error.what();  // "[json.exception...] parse error at line 1, column 3: ..."
        fault = "not valid JSON: " + what.substr(std::min(what.size(), what.find("] ") + 2));
        return std::nullopt;
    }
    fault = std::string("expected an object with \"schema\": \"") + schema + "\", found ";
    if (!json.is_object()) {
        fault += std::string("no object but ") + json.type_name();
    } else if (const auto found = json.find("schema"); found == json.end()) {
        fault += "none";
    } else if (*found != schema) {
        fault +=
            found->is_string() ? found->dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 60) : found->type_name();
    } else {
        return json;
    }
    return std::nullopt;
}

std::optional<Plan> plan_of(const Json& document) {
    const auto numbers = document.find("plan");
    if (numbers == document.end() || !numbers->is_object()) return std::nullopt;
    Plan plan;
    for (const auto& [name, value] : numbers->items()) {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<int>::max()) return std::nullopt;
        plan[name] = value.get<int>();
    }
    return plan;
}

/// Stores a new file in the place of an old one, at once. Empty, or why not.
std::string replace(const fs::path& path, const std::string& text) {
    struct rlimit limit {};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < text.size())
        return std::strerror(EFBIG);  // to write would end the process
    std::error_code fault;
    fs::create_directories(path.parent_path(), fault);
    if (fault) return fault.message();
    std::string part = path.string() + ".XXXXXX";  // other processes have other names, on other machines too
    const int file = mkstemp(part.data());
    if (file < 0) return std::strerror(errno);
    const ssize_t written = write(file, text.data(), text.size());
    std::string reason;
    if (written < 0) reason = std::strerror(errno);
    if (written >= 0 && static_cast<std::size_t>(written) < text.size()) reason = std::strerror(ENOSPC);
    if (close(file) != 0 && reason.empty()) reason = std::strerror(errno);
    if (reason.empty() && std::rename(part.c_str(), path.c_str()) != 0) reason = std::strerror(errno);
    if (!reason.empty()) unlink(part.c_str());
    return reason;
}

}  // namespace

std::optional<Plan> read_plan(const std::string& text, std::string& fault) {
    const std::optional<Json> document = document_of(text, fault);
    if (!document) return std::nullopt;
    std::optional<Plan> plan = plan_of(*document);
    if (!plan) fault = "expected \"plan\": an object of integers >= 0";
    return plan;
}

std::string plan_folder() {
    const auto absolute = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value == '/' ? value : "";
    };
    const std::string cache = absolute("XDG_CACHE_HOME"), home = absolute("HOME");
    if (cache.empty() && home.empty()) return {};
    return (cache.empty() ? home + "/.cache" : cache) + "/jacobi/plans";
}

Plans Plans::cached(const std::string& folder, const std::string& program, bool reads) {
    Plans plans;
    plans.from_ = reads ? From::cache : From::measurement;
    plans.folder_ = folder;
    plans.program_ = program;
    return plans;
}

Plans Plans::given(const std::string& file, const Plan& plan) {
    Plans plans;
    plans.from_ = From::user;
    plans.file_ = file;
    plans.plan_ = plan;
    return plans;
}

std::string Plans::path(const PlanKey& key) const {
    std::string name = key.title.substr(0, 100);
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return c >= 128 || std::isalnum(c) == 0; }, '-');
    char number[20];
    std::snprintf(number, sizeof number, "-%016llx", static_cast<unsigned long long>(hash(text_of(Json(key.facts)))));
    return (fs::path(folder_) / (name + number + ".json")).string();
}

std::optional<Plan> Plans::kept(const PlanKey& key, std::string& reason) const {
    if (folder_.empty()) {
        reason = "nowhere to keep plans: neither XDG_CACHE_HOME nor HOME is an absolute path";
        return std::nullopt;
    }
    const std::optional<std::string> text = text_at(path(key));
    std::string fault;
    const std::optional<Json> document = text ? document_of(*text, fault) : std::nullopt;
    std::optional<Plan> plan = document ? plan_of(*document) : std::nullopt;
    if (!text) {
        reason = "none was kept";
    } else if (!plan) {
        reason = "what was kept is no plan";
    } else if (document->value("key", Json()) != Json(key.facts)) {
        reason = "the one kept is for something else";
    } else if (document->value("program", Json()) != program_) {
        reason = "the one kept is of another version";
    } else {
        return plan;
    }
    return std::nullopt;
}

std::string Plans::keep(const PlanKey& key, const Plan& plan) const {
    return replace(path(key), text_of({{"schema", schema}, {"program", program_}, {"key", key.facts}, {"plan", plan}}));
}

PlanOrigin Plans::choose(const PlanKey& key, const std::function<bool(const Plan&)>& use,
                         const std::function<Plan()>& measure) const {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    PlanOrigin origin;
    const auto found = [&](const char* source, const std::string& file) {
        origin.source = source;
        origin.file = file;
        origin.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        return origin;
    };
    if (from_ == From::cache) {
        if (const auto plan = kept(key, origin.reason)) {
            if (use(*plan)) return found("cached", path(key));
            origin.reason = "the one kept does not fit";
        }
    } else if (from_ == From::user) {
        if (use(plan_)) return found("given", file_);
        origin.reason = "the one given does not fit";
        origin.refusal = "device.plan: " + file_ + " does not fit " + key.title;
    } else {
        origin.reason = "asked for";
    }
    const Plan plan = measure();
    std::string file;
    if (!folder_.empty()) {
        const std::string fault = keep(key, plan);
        if (fault.empty()) {
            file = path(key);
        } else {
            origin.reason += "; cannot be kept: " + fault;
        }
    }
    return found("measured", file);
}

}  // namespace jacobi
