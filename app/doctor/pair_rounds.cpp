#include "pair_rounds.hpp"

#include <algorithm>

namespace jacobi::doctor {

std::vector<PairRound> pair_rounds(int n, bool alone) {
    // The tournament's circle: one seat is fixed, the others move on by one a round; opposite seats play. An odd n gets a bye.
    std::vector<PairRound> rounds;
    const int seats = n + n % 2, moving = seats - 1;
    for (int r = 0; r < moving; ++r) {
        PairRound round;
        for (int i = 0; i < seats / 2; ++i) {
            const int a = i == 0 ? moving : (r + i) % moving, b = (r - i + moving) % moving;
            if (std::max(a, b) < n) round.emplace_back(std::min(a, b), std::max(a, b));
        }
        if (!alone) rounds.push_back(round);
        for (std::size_t i = 0; alone && i < round.size(); ++i) rounds.push_back({round[i]});
    }
    return rounds;
}

}  // namespace jacobi::doctor
