#include "bench_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "machine.hpp"
#include "option_range.hpp"

namespace jacobi::bench {
namespace {

const char* const description =
    "bench: how fast jacobi's configurations are on this machine, each in the same processes: temporal depth x rung x size x\n"
    "precision x transport, with the bounds measured in between. Every configuration proves its bits.\n"
    "  mpirun -np 2 ./bench --sizes 64,128 --depths 1,auto --json bench.json\n"
    "  ./bench --sizes 512,777x601x433 --problem laplace,random,poisson";

const char* const footer =
    "Columns: GLUP/s and us a sweep (median of the repeats), shortest and longest repeat, how many times what one pass through\n"
    "memory could reach at the copy bandwidth measured just before (x pass), bytes a cell and sweep by model, speed-up over "
    "staged\n"
    "messages (transport mpi, rung barrier) at the same depth (x mpi). What is refused stands in the table with a reason below.\n"
    "Exit status:\n"
    "  0  done, all digests agree\n"
    "  1  run-time failure, or nothing of what was asked for can be had here\n"
    "  2  bad option or file\n"
    "  3  a configuration computed other bits than the plainest one did";

constexpr std::array transport_words{"auto", "ipc", "shm", "mpi", "nccl"};
/// Keys of a deck that say how ranks work, none of which a row of the table is about.
constexpr std::array free_keys{"comm.overlap", "comm.halo_depth",    "comm.timeout_s", "comm.force",
                               "comm.ranks",   "comm.virtual_nodes", "device.threads", "device.plan"};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == separator) {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    return words;
}

template <class T>
T positive(const std::string& option, const std::string& word, const std::string& expected) {
    T value = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (fault != std::errc() || end != word.data() + word.size() || value < 1)
        throw CLI::ValidationError(option, fmt::format("expected {}, found '{}'", expected, word));
    return value;
}

Index3 size(const std::string& word) {
    const char* expected = "cells an axis (512) or NXxNYxNZ (777x601x433)";
    const std::vector<std::string> axes = split(word, 'x');
    if (axes.size() != 1 && axes.size() != 3)
        throw CLI::ValidationError("--sizes", fmt::format("expected {}, found '{}'", expected, word));
    Index3 cells;
    for (std::size_t a = 0; a < 3; ++a) cells[a] = positive<Index>("--sizes", axes[axes.size() == 1 ? 0 : a], expected);
    return cells;
}

/// The index of a word among those that there are.
template <class Words>
std::size_t choice(const std::string& option, const std::string& word, const Words& words) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        throw CLI::ValidationError(option, fmt::format("expected {}, found '{}'", fmt::join(words, ", "), word));
    return static_cast<std::size_t>(found - words.begin());
}

/// A comma-separated list, each word once.
template <class T, class Parse>
void list(CLI::App& app, const std::string& option, const char* words, const std::string& help, std::vector<T>& result,
          Parse parse) {
    app.add_option_function<std::string>(
           option,
           [&result, parse](const std::string& value) {
               for (const std::string& word : split(value, ',')) {
                   const T item = parse(word);
                   if (std::find(result.begin(), result.end(), item) == result.end()) result.push_back(item);
               }
           },
           help)
        ->type_name(words);
}

void require_free(const std::string& setting) {
    const std::string key = setting.substr(0, setting.find('='));
    if (std::find(free_keys.begin(), free_keys.end(), key) != free_keys.end()) return;
    throw CLI::ValidationError("--set", fmt::format("expected one of {} and a value, found '{}'; the rest are options of their "
                                                    "own",
                                                    fmt::join(free_keys, ", "), setting));
}

}  // namespace

std::variant<BenchOptions, Ended> parse_bench_options(int argc, const char* const* argv, const std::string& version) {
    BenchOptions o;
    std::vector<std::string> rung_words = build_support().rungs;
    rung_words.insert(rung_words.begin(), "auto");
    CLI::App app(description, "bench");
    app.footer(footer);
    app.get_formatter()->column_width(28);
    app.set_version_flag("--version", version, "print the version and end");
    list(app, "--sizes", "N,...", "cells of a rank's block, an axis each or NXxNYxNZ [64,128,512; host: 64,128,256]", o.sizes,
         size);
    list(app, "--depths", "T,...", "sweeps a pass; auto: what jacobi would take [1,2,4]", o.depths,
         [](const std::string& word) -> std::optional<int> {
             if (word == "auto") return std::nullopt;
             return positive<int>("--depths", word, "sweeps a pass or auto");
         });
    list(app, "--rungs", "R,...", "rungs of the ladder (jacobi --list), or auto [all]", o.rungs,
         [&rung_words](const std::string& word) { return rung_words[choice("--rungs", word, rung_words)]; });
    list(app, "--transports", "T,...",
         "between ranks: auto, ipc, shm, mpi, nccl [auto; mpi beside it with the rung barrier, to compare with]", o.transports,
         [](const std::string& word) { return std::string(transport_words[choice("--transports", word, transport_words)]); });
    list(app, "--precision", "P,...", "double, float [both]", o.precisions,
         [](const std::string& word) { return static_cast<Precision>(choice("--precision", word, precision_names)); });
    list(app, "--problem", "K,...", "random, laplace, poisson (which has a right-hand side), eigenmode [random]", o.problems,
         [](const std::string& word) { return static_cast<ProblemKind>(choice("--problem", word, problem_names)); });
    app.add_flag("--periodic", o.periodic, "all axes periodic; a single rank is its own neighbour then");
    app.add_option("--backend", o.backend, "auto, cuda or host [auto]")
        ->type_name("B")
        ->check(CLI::IsMember({"auto", "cuda", "host"}).description(""));
    app.add_option("--repeats", o.repeats, "timed repeats of a configuration, at least 3 [3]")
        ->type_name("N")
        ->check(CLI::Range(3, 1000).description(""));
    app.add_option("--seconds", o.seconds, "length of a repeat [0.3]")->type_name("S")->check(number_within(0.001, 3600));
    app.add_flag("--quick", o.quick, "a look: repeats of 0.05 s; unless given, 64 cells an axis, depths 1 and auto, rung auto");
    app.add_option("--set", o.overrides,
                   fmt::format("a key of jacobi's decks, one of {}; repeatable", fmt::join(free_keys, ", ")))
        ->type_name("key.path=value")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--json", o.json, "write the table for programs, too")->type_name("FILE");
    app.add_flag("--no-color", o.no_color, "no colours on a terminal");
    try {
        app.parse(argc, argv);
        std::for_each(o.overrides.begin(), o.overrides.end(), require_free);
    } catch (const CLI::CallForHelp&) {
        return Ended{Exit::success, app.help()};
    } catch (const CLI::CallForVersion&) {
        return Ended{Exit::success, version + "\n"};
    } catch (const CLI::ParseError& error) {
        return Ended{Exit::usage, std::string("bench: ") + error.what() + " (bench --help lists the options)\n"};
    }
    return o;
}

}  // namespace jacobi::bench
