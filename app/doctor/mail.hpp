// Messages that cannot hang: sent without waiting, received until a deadline. Built on point-to-point messages alone, since one
// stopped rank holds up every collective call.
#pragma once

#include <mpi.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "error.hpp"
#include "wait.hpp"

namespace jacobi::doctor {

/// A message on its way in. MPI may still write to the buffer of one that is given up, so that is never freed.
class Incoming {
 public:
    Incoming(MPI_Comm comm, int from, int tag) : comm_(comm), from_(from), tag_(tag) {}
    Incoming(Incoming&& other) noexcept
        : comm_(other.comm_),
          from_(other.from_),
          tag_(other.tag_),
          text_(std::move(other.text_)),
          request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}
    Incoming& operator=(Incoming&&) = delete;
    ~Incoming();
    bool arrived();
    std::string take() { return std::move(*text_); }
    int from() const { return from_; }

 private:
    MPI_Comm comm_;
    int from_, tag_;
    std::unique_ptr<std::string> text_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

class Mail {
 public:
    explicit Mail(MPI_Comm comm) : comm_(comm) {}
    MPI_Comm comm() const { return comm_; }
    void send(int to, int tag, const std::string& text);
    /// None when the deadline passes first.
    std::optional<std::string> receive(int from, int tag, const Deadline& deadline);
    /// Waits for what was sent, as long as the deadline allows.
    void flush(const Deadline& deadline);

 private:
    struct Sent {
        std::string text;
        MPI_Request request;
    };
    void forget_delivered();

    MPI_Comm comm_;
    std::list<Sent> sent_;
};

/// Polls done() until it is true or the deadline passes; says which. Sleeps between polls after a while: a rank that waits here
/// must not take the core from those that measure.
template <class Done>
bool poll(Done&& done, const Deadline& deadline) {
    for (int i = 0;; ++i) {
        if (done()) return true;
        if (deadline.passed()) return false;
        if (i < 100) {
            sched_yield();
        } else {
            const timespec pause{0, 50'000};
            nanosleep(&pause, nullptr);
        }
    }
}

/// The partner of a pair gave up, or does not answer: it need not be told.
struct PartnerFailed : Error {
    using Error::Error;
};

/// Two ranks in step with each other. The members of a pair call meet() the same number of times, until one of them fails.
class Talk {
 public:
    /// `first_tag`: up to `most_meetings` tags from there on belong to this talk.
    Talk(Mail& mail, int self, int partner, int first_tag, double seconds);
    static constexpr int most_meetings = 32;

    int self() const { return self_; }
    int partner() const { return partner_; }
    bool leads() const { return self_ < partner_; }
    const Deadline& deadline() const { return deadline_; }
    double seconds() const { return seconds_; }
    /// Tells the partner `text` and returns what it tells. Throws PartnerFailed with the reason.
    std::string meet(const std::string& text = {});
    /// Instead of the next meeting: this rank gives up, and the partner shall not wait.
    void fail(const std::string& reason);

 private:
    Mail& mail_;
    int self_, partner_, tag_;
    double seconds_;
    Deadline deadline_;
};

}  // namespace jacobi::doctor
