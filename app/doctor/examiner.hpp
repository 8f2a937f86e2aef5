// The examination itself, as every rank carries it out. Between steps the ranks call the roll (rounds.hpp), so that whoever hangs
// in a step is named at its end and left out of the next.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examination.hpp"
#include "faults.hpp"
#include "pair_memory.hpp"
#include "rounds.hpp"
#include "topology.hpp"
#include "watchdog.hpp"

namespace jacobi::doctor {

class Examiner {
 public:
    /// `limit_s`: of a step. `last_words` is called on rank 0, in another thread, with what is known, when rank 0 itself gets
    /// stuck in a step; the job is aborted after it.
    Examiner(double limit_s, int thread_level, std::function<void(const Examination&)> last_words);

    // The steps, in this order. Collective over the ranks that live.
    /// `json`: for rank 0's facts.
    void gather_all_facts(const std::string& json);
    void find_nodes();
    void examine_host();
    void examine_devices();
    void finish();

    int rank() const { return rank_; }
    bool complete() const { return rounds_.complete(); }
    const Examination& examination() const { return e_; }

 private:
    /// For work in which libraries and drivers may wait without end. Rank 0's guard reports; the others' leave it the time.
    template <class Work>
    void guarded(const std::string& step, double patience, Work&& work);
    std::vector<std::optional<std::string>> gather(const std::string& step, const std::string& text = {}, double patience = 1);
    std::vector<int> live() const;
    int node_rank() const;
    int node_size() const { return static_cast<int>(node_.size()); }
    void choose_devices();
    std::string equal_pids() const;
    void examine_pairs(const std::string& step, PairMemory* memory);
    void examine_pair(const std::string& step, PairMemory& memory, int partner_node_rank, nlohmann::json& results);

    double limit_s_;
    std::function<void(const Examination&)> last_words_;
    int rank_ = 0;
    Mail mail_;
    Rounds rounds_;
    int spins_ = 0;          ///< polls before this rank yields its core
    std::vector<int> node_;  ///< ranks of this node that lived when nodes were found
    int talks_ = 0;          ///< rounds of pairs so far
    Examination e_;
};

/// The communicator of some of MPI_COMM_WORLD's ranks; collective over these alone.
Communicator communicator_of(const std::vector<int>& ranks);

/// As it travels. Bytes that are no UTF-8 become U+FFFD.
inline std::string text_of(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class Work>
void Examiner::guarded(const std::string& step, double patience, Work&& work) {
    const double seconds = patience * 2 * limit_s_;
    std::function<void()> report;
    if (rank_ == 0) {
        // A copy: this thread may yet go on.
        report = [e = e_, step, tell = last_words_]() mutable {
            e.stuck = step;
            tell(e);
        };
    }
    const Watchdog watch(step, rank_ == 0 ? seconds : 2 * seconds + 10, "rank " + std::to_string(rank_), report);
    injected_hang(rank_, "inside " + step);
    work();
}

}  // namespace jacobi::doctor
