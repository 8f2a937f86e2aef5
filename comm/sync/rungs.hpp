// What each rung's file provides to the table in rungs.cpp.
#pragma once

#include "synchroniser.hpp"

namespace jacobi {

std::string refuse_barrier(const SyncContext&);
std::unique_ptr<Synchroniser> make_barrier(const SyncContext&);

std::string refuse_event_host(const SyncContext&);
std::unique_ptr<Synchroniser> make_event_host(const SyncContext&);

std::string refuse_event_cuda(const SyncContext&);
std::unique_ptr<Synchroniser> make_event_cuda(const SyncContext&);

}  // namespace jacobi
