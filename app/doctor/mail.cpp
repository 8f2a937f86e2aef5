#include "mail.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jacobi::doctor {

Incoming::~Incoming() {
    if (request_ != MPI_REQUEST_NULL) (void)text_.release();
}

bool Incoming::arrived() {
    int flag = 0;
    if (!text_) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        MPI_Improbe(from_, tag_, comm_, &flag, &message, &status);
        if (flag == 0) return false;
        int bytes = 0;
        MPI_Get_count(&status, MPI_CHAR, &bytes);
        text_ = std::make_unique<std::string>(static_cast<std::size_t>(bytes), '\0');
        MPI_Imrecv(text_->data(), bytes, MPI_CHAR, &message, &request_);
    }
    MPI_Test(&request_, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
}

void Mail::forget_delivered() {
    sent_.remove_if([](Sent& s) {
        int flag = 0;
        MPI_Test(&s.request, &flag, MPI_STATUS_IGNORE);
        return flag != 0;
    });
}

void Mail::send(int to, int tag, const std::string& text) {
    Sent& s = sent_.emplace_back(Sent{text, MPI_REQUEST_NULL});
    MPI_Isend(s.text.data(), static_cast<int>(s.text.size()), MPI_CHAR, to, tag, comm_, &s.request);
    // The request is tested until it is done, here and in later calls.
    forget_delivered();  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker)
}

std::optional<std::string> Mail::receive(int from, int tag, const Deadline& deadline) {
    Incoming message(comm_, from, tag);
    const bool arrived = poll(
        [&] {
            forget_delivered();  // a long message of ours may need this rank's help to get through
            return message.arrived();
        },
        deadline);
    if (!arrived) return std::nullopt;
    return message.take();
}

void Mail::flush(const Deadline& deadline) {
    poll(
        [&] {
            forget_delivered();
            return sent_.empty();
        },
        deadline);
}

Talk::Talk(Mail& mail, int self, int partner, int first_tag, double seconds)
    : mail_(mail), self_(self), partner_(partner), tag_(first_tag), seconds_(seconds), deadline_(seconds) {}

std::string Talk::meet(const std::string& text) {
    mail_.send(partner_, tag_, '+' + text);
    const auto answer = mail_.receive(partner_, tag_, deadline_);
    ++tag_;
    if (!answer) throw PartnerFailed(fmt::format("rank {} did not answer within {:g} s", partner_, seconds_));
    if (answer->front() == '-') throw PartnerFailed(fmt::format("on rank {}: {}", partner_, answer->substr(1)));
    return answer->substr(1);
}

void Talk::fail(const std::string& reason) { mail_.send(partner_, tag_++, '-' + reason); }

}  // namespace jacobi::doctor
