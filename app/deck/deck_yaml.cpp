#include "deck_yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "deck_text.hpp"

namespace jacobi::deck {
namespace {

/// Ends the parse: no usable tree is left.
struct Fatal {
    Fault fault;
};

class TreeBuilder : public YAML::EventHandler {
 public:
    TreeBuilder(const std::string& text, int source, Faults& faults)
        : text_(text), source_(source), faults_(faults), characters_(text.size() + 1) {
        for (std::size_t i = 0; i < text.size(); ++i) characters_[i + 1] = characters_[i] + (is_continuation(text[i]) ? 0 : 1);
    }

    Node take() { return std::move(root_); }

    /// yaml-cpp counts bytes; a reader counts characters.
    Place place(const YAML::Mark& mark) const {
        if (mark.is_null()) return {source_, 1, 1};
        const auto end = std::min(static_cast<std::size_t>(mark.pos), text_.size());
        const auto begin = end - std::min(static_cast<std::size_t>(mark.column), end);
        return {source_, mark.line + 1, characters_[end] - characters_[begin] + 1};
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) throw Fatal{{place(mark), "a second document starts here; a deck is one document"}};
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Node node;
        node.place = place(mark);
        finish(std::move(node), anchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
        Node node = start(Node::Kind::scalar, mark, tag);
        node.text = value;
        node.quoted = tag == "!";
        if (node.quoted) require_closing_quote(mark);
        finish(std::move(node), anchor);
    }

    /// Aliases of values and of lists of values are copied. Those of anything deeper are refused, and the copies bounded: nested
    /// aliases can describe trees without bound.
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end() || !is_flat(found->second)) {
            throw Fatal{{place(mark), "an alias may stand for a value or a list of values only; write this one out"}};
        }
        Node node = found->second;
        for (const Node& item : node.items) copied_ += item.text.size() + sizeof(Node);
        copied_ += node.text.size() + sizeof(Node);
        if (copied_ > text_limit) throw Fatal{{place(mark), "too many aliases of long values"}};
        node.place = place(mark);
        for (Node& item : node.items) item.place = node.place;
        finish(std::move(node), 0);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open_.push_back({start(Node::Kind::sequence, mark, tag), anchor, {}});
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open_.push_back({start(Node::Kind::map, mark, tag), anchor, {}});
    }
    void OnMapEnd() override { close(); }

 private:
    /// A container whose end is still to come; `key` is set between a map's key and its value.
    struct Open {
        Node node;
        YAML::anchor_t anchor;
        std::optional<Node> key;
    };

    static bool is_flat(const Node& node) {
        const auto is_leaf = [](const Node& n) { return n.kind == Node::Kind::scalar || n.kind == Node::Kind::null; };
        return is_leaf(node) || (node.kind == Node::Kind::sequence && std::all_of(node.items.begin(), node.items.end(), is_leaf));
    }

    Node start(Node::Kind kind, const YAML::Mark& mark, const std::string& tag) {
        Node node;
        node.kind = kind;
        node.place = place(mark);
        if (!tag.empty() && tag != "?" && tag != "!") {
            constexpr std::string_view yaml_org = "tag:yaml.org,2002:";
            const std::string written = tag.starts_with(yaml_org) ? "!!" + tag.substr(yaml_org.size()) : tag;
            faults_.push_back({node.place, fmt::format("tags are not supported, found {}; remove it", shown(written))});
        }
        return node;
    }

    void close() {
        Open open = std::move(open_.back());
        open_.pop_back();
        finish(std::move(open.node), open.anchor);
    }

    /// Hands a complete node to the container that it stands in.
    void finish(Node node, YAML::anchor_t anchor) {
        if (anchor != 0) anchors_[anchor] = node;
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node.kind == Node::Kind::sequence) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.key) {
            parent.key = std::move(node);
        } else {
            add_entry(parent.node, *parent.key, std::move(node));
            parent.key.reset();
        }
    }

    void add_entry(Node& map, const Node& key, Node value) {
        if (key.kind != Node::Kind::scalar) {
            faults_.push_back({key.place, "expected a key, found " + found(key)});
        } else {
            if (value.kind == Node::Kind::null) value.place = key.place;
            map.entries.push_back({key.place, key.text, std::move(value)});
        }
    }

    /// yaml-cpp 0.7 takes the end of the text for a closing quote.
    void require_closing_quote(const YAML::Mark& mark) const {
        std::size_t i = static_cast<std::size_t>(mark.pos);
        while (i < text_.size() && (text_[i] == '&' || text_[i] == '!')) {  // an anchor or a tag comes before the quote
            i = text_.find_first_of(" \t\r\n", i);
            i = text_.find_first_not_of(" \t\r\n", i);
        }
        if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\'')) return;  // a block scalar
        const char quote = text_[i];
        for (++i; i < text_.size(); ++i) {
            if (quote == '"' && text_[i] == '\\') {
                ++i;
            } else if (text_[i] == quote) {
                if (quote == '"' || i + 1 >= text_.size() || text_[i + 1] != quote) return;
                ++i;  // '' inside '...'
            }
        }
        throw Fatal{{place(mark), fmt::format("this {} quote is never closed", quote)}};
    }

    const std::string& text_;
    const int source_;
    Faults& faults_;
    std::vector<int> characters_;  ///< number of characters before each byte of the text
    Node root_;
    int documents_ = 0;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Node> anchors_;
    std::size_t copied_ = 0;
};

/// Place of a byte of the text, before which all is valid.
Place place_of(const std::string& text, std::size_t byte, int source) {
    Place place{source, 1, 1};
    for (std::size_t i = 0; i < byte; ++i) {
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else if (!is_continuation(text[i])) {
            ++place.column;
        }
    }
    return place;
}

}  // namespace

bool parse_yaml(const std::string& given, int source, Node& root, Faults& faults) {
    if (given.size() > text_limit) {
        faults.push_back({{source, 1, 1}, "longer than 1 MiB: this is no deck"});
        return false;
    }
    const std::string text = given.starts_with("\xEF\xBB\xBF") ? given.substr(3) : given;  // byte order mark
    if (const auto bad = find_invalid_byte(text); bad != std::string::npos) {
        faults.push_back(
            {place_of(text, bad, source),
             fmt::format("byte 0x{:02x} is not text in UTF-8", static_cast<unsigned>(static_cast<unsigned char>(text[bad])))});
        return false;
    }
    TreeBuilder builder(text, source, faults);
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const Fatal& fatal) {
        faults.push_back(fatal.fault);
        return false;
    } catch (const YAML::DeepRecursion& error) {
        faults.push_back({builder.place(error.mark), "nested too deeply: this is no deck"});
        return false;
    } catch (const YAML::Exception& error) {
        faults.push_back({builder.place(error.mark), "not valid YAML: " + error.msg});
        return false;
    } catch (const std::exception& error) {
        faults.push_back({{source, 1, 1}, fmt::format("not valid YAML: {}", error.what())});
        return false;
    }
    root = builder.take();
    return true;
}

}  // namespace jacobi::deck
