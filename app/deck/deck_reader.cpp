#include "deck_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "deck_checks.hpp"
#include "deck_schema.hpp"
#include "deck_text.hpp"
#include "deck_yaml.hpp"
#include "input_path.hpp"

namespace jacobi {
namespace {

using deck::Node;
using deck::Place;

/// "grid.cells" as the map {grid: {cells: value}}, every part standing at `place`. False when the path has an empty part.
bool nest(const std::string& path, Node value, const Place& place, Node& root) {
    root = std::move(value);
    root.place = place;
    std::size_t end = path.size();
    while (true) {
        const std::size_t dot = end == 0 ? std::string::npos : path.rfind('.', end - 1);
        const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
        if (begin == end) return false;
        Node map;
        map.kind = Node::Kind::map;
        map.place = place;
        map.entries.push_back({place, path.substr(begin, end - begin), std::move(root)});
        root = std::move(map);
        if (begin == 0) return true;
        end = dot;
    }
}

/// Reads "key.path=value" on top of what was read before.
void read_override(const std::string& option, int source, deck::Reading& reading) {
    const Place place{source, 1, 1};
    const std::size_t equals = option.find('=');
    Node value, root;
    if (equals == std::string::npos) {
        reading.faults.push_back({place, "expected key.path=value, found no ="});
    } else if (deck::parse_yaml(option.substr(equals + 1), source, value, reading.faults)) {
        const std::string path = option.substr(0, equals);
        const std::size_t begin = std::min(path.find_first_not_of(' '), path.size());
        if (nest(path.substr(begin, path.find_last_not_of(' ') + 1 - begin), std::move(value), place, root)) {
            deck::read_tree(root, reading);
        } else {
            reading.faults.push_back({place, "expected key.path=value, found an empty part in the path"});
        }
    }
}

}  // namespace

DeckResult read_deck(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                     const Support& support) {
    deck::Reading reading;
    Node root;
    const bool usable = deck::parse_yaml(text, 0, root, reading.faults);
    if (usable) deck::read_tree(root, reading);
    for (std::size_t i = 0; i < overrides.size(); ++i) read_override(overrides[i], static_cast<int>(i) + 1, reading);
    if (usable && root.kind == Node::Kind::map) deck::check(reading, support);

    std::stable_sort(reading.faults.begin(), reading.faults.end(),
                     [](const auto& a, const auto& b) { return a.place < b.place; });
    DeckResult result;
    for (const deck::Fault& fault : reading.faults) {
        const Place& place = fault.place;
        const std::string where = place.source == 0 ? fmt::format("{}:{}:{}", name, place.line, place.column)
                                                    : "--set " + deck::printable(overrides[place.source - 1], std::string::npos);
        result.errors.push_back({where, fault.message});
    }
    result.config = std::move(reading.config);
    result.config.deck_text = text;
    result.config.overrides = overrides;
    return result;
}

std::optional<std::string> load_text(const std::string& path, std::string& error) {
    std::string fault = check_input_path(path);
    if (fault.empty()) {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
        if (file) {
            std::string text(deck::text_limit + 1, '\0');  // read_deck refuses what is longer
            text.resize(std::fread(text.data(), 1, text.size(), file.get()));
            if (std::ferror(file.get()) == 0) return text;
        }
        fault = std::strerror(errno);
    }
    error = fmt::format("{}: cannot be read: {}", path, fault);
    return std::nullopt;
}

}  // namespace jacobi
