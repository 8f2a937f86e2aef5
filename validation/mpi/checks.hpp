// Checks of an MPI test program. A failed check is recorded and the program goes on: leaving early on one rank would hang the
// others in their next collective call. All ranks' failures are gathered and printed by rank 0 at the end.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "error.hpp"

namespace jacobi::test {

class Checks {
 public:
    Checks() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }
    int rank() const { return rank_; }
    int size() const { return size_; }

    void expect(bool holds, const std::string& what) {
        ++count_;
        if (!holds) failures_ += fmt::format("rank {}: {}\n", rank_, what);
    }

    /// Collective: `work` must throw an Error with this exit status, on every rank with the same text, holding each of `words`.
    void expect_error(const std::string& what, Exit exit, const std::vector<std::string>& words,
                      const std::function<void()>& work) {
        std::string text;
        try {
            work();
            expect(false, what + ": no error");
        } catch (const Error& error) {
            text = error.what();
            expect(error.collective(), what + ": the error is not collective");
            expect(error.exit() == exit, fmt::format("{}: exit status {}", what, static_cast<int>(error.exit())));
        }
        for (const auto& word : words)
            expect(text.find(word) != std::string::npos, fmt::format("{}: no \"{}\" in: {}", what, word, text));

        std::vector<char> first(4096, '\0');
        text.copy(first.data(), first.size() - 1);
        MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
        expect(text == first.data(), what + ": rank 0 has another text: " + text);
    }

    /// Collective: runs a part of the test that must not throw.
    void run(const std::string& what, const std::function<void()>& work) {
        try {
            work();
        } catch (const std::exception& error) {
            expect(false, what + ": " + error.what());
        }
    }

    /// Collective: prints all failures, returns the program's exit status, the same on every rank.
    int finish(const char* program) const {
        for (int r = 0; r < size_; ++r) {  // one after the other, so that few buffers are needed
            int length = static_cast<int>(failures_.size());
            if (r == 0 && rank_ == 0) std::fputs(failures_.c_str(), stdout);
            if (r == 0) continue;
            if (rank_ == r) {
                MPI_Send(&length, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                MPI_Send(failures_.data(), length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            } else if (rank_ == 0) {
                MPI_Recv(&length, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                std::string text(static_cast<std::size_t>(length), '\0');
                MPI_Recv(text.data(), length, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                std::fputs(text.c_str(), stdout);
            }
        }
        int failed = failures_.empty() ? 0 : 1;
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank_ == 0)
            std::printf("%s on %d ranks: %s, %ld checks a rank\n", program, size_, failed ? "FAILED" : "passed", count_);
        return failed;
    }

 private:
    int rank_ = 0, size_ = 1;
    long count_ = 0;
    std::string failures_;
};

}  // namespace jacobi::test
