// JSON in and out, with Boost.JSON as the value type. The reader is strict and bounded: it is what
// stands between hostile bytes and the rest of the program.
#ifndef SWITCHBOARD_BASE_JSON_H_
#define SWITCHBOARD_BASE_JSON_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard {

using Json = boost::json::value;
using JsonObject = boost::json::object;  // keeps insertion order
using JsonArray = boost::json::array;

inline constexpr int kDefaultJsonDepth = 128;
// A value takes about 24 bytes, a member of an object about 40, and up to as much again while an
// array grows: so no text makes more than some 400 MB of values.
inline constexpr size_t kDefaultJsonValues = 5'000'000;

// Parses one JSON text. InvalidArgument names the byte where it went wrong.
//  * UTF-8 must be valid; a lone surrogate escape becomes U+FFFD.
//  * NaN, Infinity, comments, trailing commas and trailing text are errors, and so is a number
//    beyond the range of a double. Numbers with a fraction or exponent are read exactly (correctly
//    rounded); whole numbers are int64, else uint64, else double.
//  * Of duplicate keys the last wins, at the place of the first.
//  * More than `max_depth` nested arrays and objects are an error. So are more than `max_values`
//    values; every item, member, array and object is one.
absl::StatusOr<Json> ParseJson(absl::string_view text, int max_depth = kDefaultJsonDepth,
                               size_t max_values = kDefaultJsonValues);

// Compact JSON; non-ASCII stays UTF-8. REQUIRES: all strings are valid UTF-8, all doubles finite.
std::string SerializeJson(const Json& value);

// Member `key` of `object`, or nullptr when it is absent.
const Json* FindMember(const JsonObject& object, absl::string_view key);
// The same, but a JSON null counts as absent too.
const Json* FindPresent(const JsonObject& object, absl::string_view key);

// Between Boost's string_view and Abseil's.
inline absl::string_view ToAbsl(boost::json::string_view s) { return {s.data(), s.size()}; }
inline boost::json::string_view ToBoost(absl::string_view s) { return {s.data(), s.size()}; }

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_JSON_H_
