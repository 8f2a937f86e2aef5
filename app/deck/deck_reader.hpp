// Strict reader of YAML decks (inputs/README.md lists the keys).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config.hpp"

namespace jacobi {

/// One fault of a deck or of a --set option. `where` is "file:line:column" (1-based) or "--set key.path=value".
struct DeckError {
    std::string where;
    std::string message;  ///< key's full path, what was expected, what was found; the nearest valid key for an unknown one
};

struct DeckResult {
    Config config;                  ///< meaningful only without errors
    std::vector<DeckError> errors;  ///< in order of place (the deck, then each --set), one a fault, none twice
    bool ok() const { return errors.empty(); }
};

/// Reads a deck from text. `name` is the file's name as the messages show it; `overrides` are "key.path=value" with a YAML
/// value, applied after the deck through the same checks. Never throws for anything a user can write.
DeckResult read_deck(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                     const Support& support);

/// A deck file's text for read_deck, cut behind 1 MiB, or none and in `error` one line that names the file and why it cannot be
/// read (missing, no permission, not a regular file).
std::optional<std::string> load_text(const std::string& path, std::string& error);

/// The configuration as YAML with every key and its resolved value, in the deck's own order (reports and snapshots hold it).
/// Keys that the problem does not take (a seed for laplace, faces of a periodic axis) are left out, so that read_deck reads the
/// same configuration again.
std::string to_yaml(const Config& config);

}  // namespace jacobi
