#include "deck_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "deck_keys.hpp"
#include "deck_text.hpp"

namespace jacobi::deck {
namespace {

/// For `cells:[1, 2, 3]`, which YAML takes for text.
const char* colon_hint(const std::string& text) {
    return text.find(':') == std::string::npos ? "" : "; a space belongs after the colon";
}
const char* colon_hint(const Node& node) { return node.kind == Node::Kind::scalar ? colon_hint(node.text) : ""; }

bool is_section(std::string_view path) {
    const auto keys = key_table();
    return std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.section == path; });
}
const Key* find_key(std::string_view section, std::string_view name) {
    const auto keys = key_table();
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.section == section && k.name == name; });
    return key == keys.end() ? nullptr : &*key;
}

std::string join(const std::string& section, const std::string& name) { return section.empty() ? name : section + "." + name; }

/// The known path nearest to an unknown name in a section: one of that section, or an almost equal one elsewhere.
std::string nearest_path(const std::string& section, const std::string& name, int& edits) {
    std::string best;
    int best_cost = -1;
    const auto offer = [&](const std::string& path, std::string_view candidate, std::string_view candidate_section) {
        const int distance = edit_distance(name, candidate);
        const bool elsewhere = candidate_section != section;
        const int cost = 2 * distance + (elsewhere ? 1 : 0);
        if ((elsewhere && distance > 1) || (best_cost >= 0 && cost >= best_cost)) return;
        best = path;
        best_cost = cost;
        edits = distance;
    };
    for (const Key& key : key_table()) {
        if (key.section.find('.') == std::string_view::npos) offer(std::string(key.section), key.section, "");
        offer(key.path(), key.name, key.section);
        if (name.find('.') != std::string::npos) offer(key.path(), key.path(), section);  // `grid.cells: [...]` in a deck
    }
    return best;
}

void report_unknown(const Entry& entry, const std::string& section, Reading& reading) {
    int edits = 0;
    const std::string nearest = nearest_path(section, entry.key, edits);
    const bool dotted = entry.key.find('.') != std::string::npos;
    reading.fault(entry.place, join(section, printable(entry.key)),
                  fmt::format("unknown key; the nearest valid key is {}{}{}", nearest, colon_hint(entry.key),
                              dotted ? "; in a deck each part has a line of its own" : ""));
    if (edits <= 2) reading.failed.insert(nearest);  // a misspelt key is not missing as well
}

/// The keys that a merge would have brought are not missing as well.
void report_merge(const Entry& entry, const std::string& section, Reading& reading) {
    reading.fault(entry.place, join(section, entry.key), "merge keys are not supported; write the keys out");
    if (!section.empty()) reading.failed.insert(section);
    for (const Key& key : key_table()) {
        if (section.empty()) reading.failed.insert(std::string(key.section));
    }
}

void read_map(const Node& map, const std::string& section, Reading& reading) {
    std::map<std::string, Place> first;
    for (const Entry& entry : map.entries) {
        const std::string path = join(section, entry.key);
        const Key* key = find_key(section, entry.key);
        const bool nested = is_section(path) && entry.key.find('.') == std::string::npos;
        const auto [earlier, is_new] = first.emplace(entry.key, entry.place);
        if (!is_new) {
            reading.fault(
                entry.place, path,
                fmt::format("duplicate key; first given at line {}, column {}", earlier->second.line, earlier->second.column));
        }
        if (entry.key == "<<") {
            if (is_new) report_merge(entry, section, reading);
            continue;
        }
        if (key == nullptr && !nested) {
            if (is_new) report_unknown(entry, section, reading);
            continue;
        }
        reading.given[path] = {entry.place, entry.value.place};
        if (nested) {
            if (entry.value.kind == Node::Kind::map) {
                read_map(entry.value, path, reading);
                continue;
            }
            reading.fault(entry.value.place, path,
                          fmt::format("expected a map of keys, found {}{}", found(entry.value), colon_hint(entry.value)));
            reading.failed.insert(path);
        } else {
            key->read(Reader(reading, entry, path), reading.config);
        }
    }
}

}  // namespace

void read_tree(const Node& root, Reading& reading) {
    if (root.kind == Node::Kind::map) {
        read_map(root, "", reading);
        return;
    }
    const std::string what = root.kind == Node::Kind::null ? "nothing: the deck is empty" : found(root);
    reading.faults.push_back(
        {root.place, fmt::format("expected a map of sections (grid, problem, solver, ...), found {}{}", what, colon_hint(root))});
}

std::vector<std::string> all_keys() {
    std::vector<std::string> paths;
    for (const Key& key : key_table()) {
        if (!key.section.starts_with("problem.")) paths.push_back(key.path());
    }
    return paths;
}

}  // namespace jacobi::deck
