#include "plan_setting.hpp"

#include <fmt/format.h>

#include "deck_reader.hpp"
#include "deck_text.hpp"
#include "edges.hpp"
#include "error.hpp"
#include "version.hpp"

namespace jacobi {

namespace {

/// For a name that no file has: the word that it may have been meant for.
std::string nearest_word(const std::string& setting) {
    if (setting.find('/') != std::string::npos) return {};
    for (const char* word : {"auto", "measure"}) {
        if (deck::edit_distance(setting, word) <= 2)
            return fmt::format("; did you mean {}? Expected auto, measure or the path of a plan", word);
    }
    return {};
}

}  // namespace

Plans plans_of(const Config& config, const Topology& topology) {
    const std::string& setting = config.device.plan;
    if (setting == "auto" || setting == "measure")
        return Plans::cached(plan_folder(), fmt::format("{} ({})", version, git_describe), setting == "auto");
    std::string text, fault;
    if (topology.rank() == 0) text = load_text(setting, fault).value_or("");
    text = gather_texts(topology.world.get(), text).front();
    fault = gather_texts(topology.world.get(), fault).front();
    if (!fault.empty()) throw Error("device.plan: " + fault + nearest_word(setting), Exit::usage, true);
    const std::optional<Plan> plan = read_plan(text, fault);
    if (!plan) throw Error(fmt::format("device.plan: {} is no plan: {}", setting, fault), Exit::usage, true);
    return Plans::given(setting, *plan);
}

}  // namespace jacobi
