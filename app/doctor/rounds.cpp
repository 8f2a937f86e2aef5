#include "rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "faults.hpp"

namespace jacobi::doctor {

Rounds::Rounds(Mail& mail, double seconds) : mail_(mail), seconds_(seconds) {
    int size = 1;
    MPI_Comm_rank(mail.comm(), &rank_);
    MPI_Comm_size(mail.comm(), &size);
    lost_.resize(size);
}

bool Rounds::complete() const {
    return std::all_of(lost_.begin(), lost_.end(), [](const std::string& step) { return step.empty(); });
}

std::vector<std::optional<std::string>> Rounds::collect(const std::string& step, const std::string& text, double seconds) {
    std::vector<std::optional<std::string>> texts(lost_.size());
    texts[0] = text;
    std::list<Incoming> awaited;
    for (std::size_t r = 1; r < lost_.size(); ++r) {
        if (lost_[r].empty()) awaited.emplace_back(mail_.comm(), static_cast<int>(r), tag_);
    }
    poll(
        [&] {
            for (auto message = awaited.begin(); message != awaited.end();) {
                if (!message->arrived()) {
                    ++message;
                    continue;
                }
                texts[message->from()] = message->take();
                message = awaited.erase(message);
            }
            return awaited.empty();
        },
        Deadline(seconds));
    for (const Incoming& message : awaited) lost_[message.from()] = step;
    return texts;
}

std::vector<std::optional<std::string>> Rounds::gather(const std::string& step, const std::string& text, double patience) {
    injected_hang(rank_, step);
    ++tag_;
    if (rank_ != 0) {
        mail_.send(0, tag_, text);
        // Rank 0 may come late, after as much work as this rank's, and then waits for others.
        const double seconds = 3 * patience * seconds_ + 5;
        const auto answer = mail_.receive(0, tag_, Deadline(seconds));
        if (!answer) {
            throw Error(
                fmt::format("rank 0 has not called the roll of step \"{}\" within {:g} s: it is stopped, or waits for a "
                            "driver, a file system or a message that does not come",
                            step, seconds));
        }
        const auto all = nlohmann::json::parse(*answer);
        std::vector<std::optional<std::string>> texts(lost_.size());
        for (std::size_t r = 0; r < lost_.size(); ++r) {
            if (!all[r].is_null()) {
                texts[r] = all[r].get<std::string>();
            } else if (lost_[r].empty()) {
                lost_[r] = step;
            }
        }
        return texts;
    }
    auto texts = collect(step, text, patience * seconds_);
    nlohmann::json all = nlohmann::json::array();
    for (const auto& t : texts) all.push_back(t ? nlohmann::json(*t) : nlohmann::json());
    for (std::size_t r = 1; r < lost_.size(); ++r) {
        if (lost_[r].empty()) mail_.send(static_cast<int>(r), tag_, all.dump());
    }
    return texts;
}

}  // namespace jacobi::doctor
