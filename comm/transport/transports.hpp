// What the transports' files provide to the table in transports.cpp.
#pragma once

#include <cstddef>

#include "message_transport.hpp"

namespace jacobi {

std::unique_ptr<MessageTransport> make_mpi(const MessageContext&);

#if defined(JACOBI_WITH_NCCL)
std::string refuse_nccl(const MessageContext&);
std::unique_ptr<MessageTransport> make_nccl(const MessageContext&);
#else
inline constexpr std::nullptr_t refuse_nccl = nullptr, make_nccl = nullptr;
#endif

}  // namespace jacobi
