#include "gateway/openai/object_reader.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"

namespace switchboard::openai {
namespace {

// Doubles at and beyond 2^63 in size have no int64.
constexpr double kInt64Limit = 9223372036854775808.0;

absl::Status Outside(absl::string_view path, const std::string& least, const std::string& most,
                     const std::string& value, absl::string_view code) {
  return Error(
      code, path,
      absl::StrCat("'", path, "' must be between ", least, " and ", most, ", not ", value, "."));
}

}  // namespace

std::string MemberPath(absl::string_view path, absl::string_view key) {
  return path.empty() ? std::string(key) : absl::StrCat(path, ".", key);
}

std::string ItemPath(absl::string_view path, size_t index) {
  return absl::StrCat(path, "[", index, "]");
}

absl::Status CheckLength(absl::string_view path, size_t size, size_t most) {
  if (size <= most) return absl::OkStatus();
  return Error("array_above_max_length", path,
               absl::StrCat("'", path, "' may have at most ", most, " items, not ", size, "."));
}

absl::string_view KindName(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "a boolean";
    case boost::json::kind::string:
      return "a string";
    case boost::json::kind::array:
      return "an array";
    case boost::json::kind::object:
      return "an object";
    case boost::json::kind::double_:
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return "a number";
  }
  return "a value";
}

absl::Status WrongType(absl::string_view path, absl::string_view wanted, const Json& value) {
  return Error("invalid_type", path,
               absl::StrCat("'", path, "' must be ", wanted, ", not ", KindName(value), "."));
}

absl::Status Missing(absl::string_view path) {
  return Error("missing_required_parameter", path,
               absl::StrCat("Missing required parameter: '", path, "'."));
}

absl::StatusOr<int64_t> IntegerAt(absl::string_view path, const Json& value, int64_t least,
                                  int64_t most) {
  int64_t number = 0;
  if (value.is_int64()) {
    number = value.get_int64();
  } else if (value.is_uint64()) {
    return Outside(path, absl::StrCat(least), absl::StrCat(most), absl::StrCat(value.get_uint64()),
                   "integer_above_max_value");
  } else if (value.is_double()) {
    const double real = value.get_double();
    if (real != std::floor(real)) return WrongType(path, "an integer", value);
    if (std::fabs(real) >= kInt64Limit) {
      return Outside(path, absl::StrCat(least), absl::StrCat(most), absl::StrCat(real),
                     real < 0 ? "integer_below_min_value" : "integer_above_max_value");
    }
    number = static_cast<int64_t>(real);
  } else {
    return WrongType(path, "an integer", value);
  }
  if (number < least || number > most) {
    return Outside(path, absl::StrCat(least), absl::StrCat(most), absl::StrCat(number),
                   number < least ? "integer_below_min_value" : "integer_above_max_value");
  }
  return number;
}

absl::StatusOr<double> NumberAt(absl::string_view path, const Json& value, double least,
                                double most) {
  if (!value.is_number()) return WrongType(path, "a number", value);
  const double number = value.is_int64()    ? static_cast<double>(value.get_int64())
                        : value.is_uint64() ? static_cast<double>(value.get_uint64())
                                            : value.get_double();
  if (number < least || number > most) {
    return Outside(path, absl::StrCat(least), absl::StrCat(most), absl::StrCat(number),
                   "invalid_value");
  }
  return number;
}

const Json* ObjectReader::Any(absl::string_view key) {
  read_.insert(std::string(key));
  return FindPresent(*object_, key);
}

absl::StatusOr<std::optional<bool>> ObjectReader::Bool(absl::string_view key) {
  const Json* value = Any(key);
  if (value == nullptr) return std::optional<bool>();
  if (!value->is_bool()) return WrongType(Path(key), "a boolean", *value);
  return std::optional<bool>(value->get_bool());
}

absl::StatusOr<std::optional<int64_t>> ObjectReader::Integer(absl::string_view key, int64_t least,
                                                             int64_t most) {
  const Json* value = Any(key);
  if (value == nullptr) return std::optional<int64_t>();
  ASSIGN_OR_RETURN(const int64_t number, IntegerAt(Path(key), *value, least, most));
  return std::optional<int64_t>(number);
}

absl::StatusOr<std::optional<double>> ObjectReader::Number(absl::string_view key, double least,
                                                           double most) {
  const Json* value = Any(key);
  if (value == nullptr) return std::optional<double>();
  ASSIGN_OR_RETURN(const double number, NumberAt(Path(key), *value, least, most));
  return std::optional<double>(number);
}

absl::StatusOr<std::optional<absl::string_view>> ObjectReader::String(absl::string_view key) {
  const Json* value = Any(key);
  if (value == nullptr) return std::optional<absl::string_view>();
  if (!value->is_string()) return WrongType(Path(key), "a string", *value);
  return std::optional<absl::string_view>(ToAbsl(value->get_string()));
}

absl::StatusOr<const JsonArray*> ObjectReader::Array(absl::string_view key) {
  const Json* value = Any(key);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) return WrongType(Path(key), "an array", *value);
  return &value->get_array();
}

absl::StatusOr<const JsonObject*> ObjectReader::Object(absl::string_view key) {
  const Json* value = Any(key);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) return WrongType(Path(key), "an object", *value);
  return &value->get_object();
}

int ObjectReader::UnreadMembers() const {
  int count = 0;
  for (const auto& [key, value] : *object_) {
    if (!value.is_null() && !read_.contains(std::string(key))) ++count;
  }
  return count;
}

}  // namespace switchboard::openai
