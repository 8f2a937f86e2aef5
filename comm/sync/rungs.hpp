// What the rungs' files provide to the table in rungs.cpp.
#pragma once

#include "synchroniser.hpp"

namespace jacobi {

std::unique_ptr<Synchroniser> make_barrier(const SyncContext&);
std::unique_ptr<Synchroniser> make_event_host(const SyncContext&);
std::unique_ptr<Synchroniser> make_stream_host(const SyncContext&);
std::unique_ptr<Synchroniser> make_flag(const SyncContext&);
std::string refuse_persistent(const SyncContext&);
std::unique_ptr<Synchroniser> make_persistent(const SyncContext&);

std::string refuse_event_cuda(const SyncContext&);
std::unique_ptr<Synchroniser> make_event_cuda(const SyncContext&);
std::string refuse_stream_cuda(const SyncContext&);
std::unique_ptr<Synchroniser> make_stream_cuda(const SyncContext&);

}  // namespace jacobi
