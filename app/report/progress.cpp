#include "progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace jacobi {
namespace {

void write(const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace

std::string progress_text(Index sweep, Index total, double residual, double mlups, double seconds_left) {
    std::string text = fmt::format("sweep {} of {}", sweep, total);
    if (!std::isnan(residual)) text += fmt::format("  residual {:.3e}", residual);
    text += fmt::format("  {:.1f} MLUP/s", mlups);
    if (seconds_left >= 0) text += fmt::format("  {:.0f} s left", seconds_left);
    return text;
}

void Progress::update(const RunRecord& record) {
    if (!enabled_) return;
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const Index sweep = record.iterations, total = record.config.solver.iterations;
    if (first_ < 0) {
        first_ = sweep;
        first_s_ = seconds;
    }
    if (now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    const double left =
        sweep > first_ ? (seconds - first_s_) * static_cast<double>(total - sweep) / static_cast<double>(sweep - first_) : -1;
    const std::string text = progress_text(sweep, total, record.checks.empty() ? std::nan("") : record.checks.back().residual_max,
                                           record.glups() * 1e3, left);
    // Blanks rather than an escape sequence cover the rest of a longer line: every terminal knows them.
    write('\r' + text + std::string(width_ > text.size() ? width_ - text.size() : 0, ' '));
    width_ = text.size();
}

void Progress::clear() {
    if (width_ > 0) write('\r' + std::string(width_, ' ') + '\r');
    width_ = 0;
}

}  // namespace jacobi
