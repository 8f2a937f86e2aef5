// The table for programs.
#pragma once

#include <string>

#include "row.hpp"

namespace jacobi::bench {

inline constexpr const char* bench_schema = "jacobi-bench/1";

/// The JSON document. What was not measured or has no meaning is null.
std::string table_json(const Table& table);

}  // namespace jacobi::bench
