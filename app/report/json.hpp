// Parts that the JSON documents of this program's tools have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "run_record.hpp"

namespace jacobi {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: those are the strings "nan", "inf" and "-inf".
Json number(double value);

/// This moment as documents date themselves: "2025-03-01T12:00:00Z".
std::string now_utc();

/// The first keys of a document: schema, version, date, and on what it was made.
Json origin_json(const RunRecord& record, const char* schema);

/// Where the shape of passes came from.
Json plan_json(const RunRecord& record);

/// The text of a document, ending with a newline. Values short enough for one line stand on one, so that people can read the file
/// too. Bytes that are no UTF-8 (a file's name may have them) become U+FFFD.
std::string json_text(const Json& document);

}  // namespace jacobi
