// What the transports' files provide to the table in transports.cpp.
#pragma once

#include "message_transport.hpp"

namespace jacobi {

std::unique_ptr<MessageTransport> make_mpi(const MessageContext&);

std::string refuse_nccl(const MessageContext&);
std::unique_ptr<MessageTransport> make_nccl(const MessageContext&);

}  // namespace jacobi
