// Shapes of passes that a back end found by measuring: kept from run to run, or given by the user. No MPI, no CUDA.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace jacobi {

/// How passes walk a block, as numbers with names that mean something to the back end that chose them.
using Plan = std::map<std::string, int>;

/// All that the choice of a plan depends on, but for the program.
struct PlanKey {
    std::string title;                         ///< for people: a part of the file's name
    std::map<std::string, std::string> facts;  ///< compared one by one
};

/// Where a block's plan came from.
struct PlanOrigin {
    std::string source;   ///< "measured", "cached" or "given"; empty: the back end has nothing to choose
    std::string file;     ///< that holds it; empty: none
    std::string reason;   ///< of a measured one: why it was measured, and why it is not kept
    std::string refusal;  ///< why the given plan cannot be used, in which case one was measured
    double seconds = 0;   ///< that it took to find it
};

/// The plan that a file's text holds, or none and in `fault` why.
std::optional<Plan> read_plan(const std::string& text, std::string& fault);

/// $XDG_CACHE_HOME/jacobi/plans, or ~/.cache/jacobi/plans; empty where neither XDG_CACHE_HOME nor HOME is an absolute path.
std::string plan_folder();

/// Where plans come from. The cache is one file a key: a writer makes a whole one and renames it, so readers, also those of other
/// ranks and jobs, see an old plan, a new one or none. What is wrong with a file or the folder only costs a measurement.
class Plans {
 public:
    /// Measures, keeps nothing.
    Plans() = default;
    /// Keeps plans in a folder, which may be missing. `program`: version; one version's plans are not another's. `reads`: takes
    /// what is kept, else measures every time.
    static Plans cached(const std::string& folder, const std::string& program, bool reads);
    /// One plan for all keys. `file`: for messages.
    static Plans given(const std::string& file, const Plan& plan);

    /// Gets a plan into use. `use` takes one, or returns false where it does not fit; `measure` finds one, takes it and returns
    /// it.
    PlanOrigin choose(const PlanKey& key, const std::function<bool(const Plan&)>& use,
                      const std::function<Plan()>& measure) const;

    /// The file of a key.
    std::string path(const PlanKey& key) const;

 private:
    std::optional<Plan> kept(const PlanKey& key, std::string& reason) const;
    std::string keep(const PlanKey& key, const Plan& plan) const;

    enum class From { measurement, cache, user };
    From from_ = From::measurement;
    std::string folder_, program_;  ///< of the cache; no folder: nothing is kept
    std::string file_;              ///< of the given plan
    Plan plan_;
};

}  // namespace jacobi
