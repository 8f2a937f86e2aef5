// Choosing between shapes of passes by measuring them.
#pragma once

#include <algorithm>
#include <vector>

namespace jacobi::cuda {

/// Of candidates with a member `seconds`, the fastest. measure(candidate, more) sets it, from a few passes times `more`: a few of
/// each, then five times as many of the best four, since their times differ by less than those of a few passes do. Not of none.
template <class Candidate, class Measure>
Candidate& fastest(std::vector<Candidate>& candidates, Measure&& measure) {
    const auto faster = [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; };
    for (Candidate& c : candidates) measure(c, 1);
    const auto last = candidates.begin() + std::min<std::ptrdiff_t>(4, std::ssize(candidates));
    std::partial_sort(candidates.begin(), last, candidates.end(), faster);
    for (auto c = candidates.begin(); c != last; ++c) measure(*c, 5);
    return *std::min_element(candidates.begin(), last, faster);
}

}  // namespace jacobi::cuda
