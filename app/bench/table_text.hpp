// The table for people: rank 0 prints it to standard output, line by line as it is measured.
#pragma once

#include "row.hpp"
#include "terminal.hpp"

namespace jacobi::bench {

/// What it is about, and the titles of the columns.
std::string table_header(const Table& table, const Style& style);
/// A row; its notes enter the table.
std::string row_text(const Row& row, Table& table, const Style& style);
/// What the numbers in brackets behind rows mean.
std::string table_notes(const Table& table);
/// Notes, and the verdict on the digests.
std::string table_footer(const Table& table, const Style& style);

}  // namespace jacobi::bench
