// Roll calls: all ranks report to rank 0, which tells everybody. Ranks that do not come in time are named and left out from then
// on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mail.hpp"

namespace jacobi::doctor {

class Rounds {
 public:
    /// `seconds`: how long rank 0 waits for the others in a round.
    Rounds(Mail& mail, double seconds);

    /// Every live rank calls this with the same `step`, and gets every live rank's text, by rank; none of those that are lost.
    /// `patience` multiplies the limit. Throws Error on ranks that rank 0 does not answer.
    std::vector<std::optional<std::string>> gather(const std::string& step, const std::string& text, double patience = 1);

    /// By rank: the step in which it did not report; empty while it lives. The same on all live ranks.
    const std::vector<std::string>& lost() const { return lost_; }
    bool alive(int rank) const { return lost_[rank].empty(); }
    bool complete() const;

 private:
    std::vector<std::optional<std::string>> collect(const std::string& step, const std::string& text, double seconds);

    Mail& mail_;
    double seconds_;
    int rank_ = 0;
    int tag_ = 0;
    std::vector<std::string> lost_;
};

}  // namespace jacobi::doctor
