#include "base/json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace switchboard {
namespace {

namespace json = boost::json;
using Error = boost::system::error_code;
using Piece = json::string_view;

// Builds the value. Differs from Boost's own handler in reading floating-point numbers from their
// text (1.81's reader is off by one bit for some) and in refusing those beyond the range of a
// double.
class Builder {
 public:
  static constexpr size_t max_object_size = size_t(-1);
  static constexpr size_t max_array_size = size_t(-1);
  static constexpr size_t max_key_size = size_t(-1);
  static constexpr size_t max_string_size = size_t(-1);

  explicit Builder(size_t max_values) : values_left_(max_values) {}

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error& error) { return Count(&error); }
  bool on_object_end(size_t n, Error&) { return stack_.push_object(n), true; }
  bool on_array_begin(Error& error) { return Count(&error); }
  bool on_array_end(size_t n, Error&) { return stack_.push_array(n), true; }
  bool on_key_part(Piece s, size_t, Error&) { return stack_.push_chars(s), true; }
  bool on_key(Piece s, size_t, Error&) { return stack_.push_key(s), true; }
  bool on_string_part(Piece s, size_t, Error&) { return stack_.push_chars(s), true; }
  bool on_string(Piece s, size_t, Error& error) {
    return Count(&error) && (stack_.push_string(s), true);
  }
  bool on_number_part(Piece s, Error&) { return number_.append(s.data(), s.size()), true; }
  bool on_int64(int64_t i, Piece, Error& error) {
    number_.clear();
    return Count(&error) && (stack_.push_int64(i), true);
  }
  bool on_uint64(uint64_t u, Piece, Error& error) {
    number_.clear();
    return Count(&error) && (stack_.push_uint64(u), true);
  }
  bool on_double(double, Piece s, Error& error) {
    number_.append(s.data(), s.size());
    const double value = std::strtod(number_.c_str(), nullptr);
    number_.clear();
    if (!std::isfinite(value)) {
      error = json::error::exponent_overflow;
      return false;
    }
    return Count(&error) && (stack_.push_double(value), true);
  }
  bool on_bool(bool b, Error& error) { return Count(&error) && (stack_.push_bool(b), true); }
  bool on_null(Error& error) { return Count(&error) && (stack_.push_null(), true); }
  bool on_comment_part(Piece, Error&) { return true; }
  bool on_comment(Piece, Error&) { return true; }

  void Reset() { stack_.reset(); }
  Json Release() { return stack_.release(); }

  bool too_many_values() const { return too_many_values_; }

 private:
  bool Count(Error* error) {
    if (values_left_ == 0) {
      too_many_values_ = true;
      *error = json::error::array_too_large;
      return false;
    }
    --values_left_;
    return true;
  }

  json::value_stack stack_;
  std::string number_;
  size_t values_left_;
  bool too_many_values_ = false;
};

// The 4 hexadecimal digits at `text[at]`, or -1.
int Hex4(absl::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  for (char c : text.substr(at, 4)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool IsHighSurrogate(int unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLowSurrogate(int unit) { return unit >= 0xDC00 && unit < 0xE000; }

// Rewrites lone surrogate escapes as \ufffd, in place: Boost refuses them, clients send them.
void ReplaceLoneSurrogates(std::string* text) {
  for (size_t i = text->find('\\'); i != std::string::npos; i = text->find('\\', i)) {
    const int unit = i + 1 < text->size() && (*text)[i + 1] == 'u' ? Hex4(*text, i + 2) : -1;
    if (unit < 0) {
      i += 2;
      continue;
    }
    const bool pair = IsHighSurrogate(unit) && text->compare(i + 6, 2, "\\u") == 0 &&
                      IsLowSurrogate(Hex4(*text, i + 8));
    if (!pair && (IsHighSurrogate(unit) || IsLowSurrogate(unit))) text->replace(i, 6, "\\ufffd");
    i += pair ? 12 : 6;
  }
}

void AppendDouble(double value, std::string* out) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, result.ptr);
}

// Boost's serializer, but doubles in the shortest form that people recognise (0.25, not 2.5E-1).
void Append(const Json& value, std::string* out) {
  if (const JsonObject* object = value.if_object()) {
    const char* separator = "{";
    for (const auto& [key, member] : *object) {
      absl::StrAppend(out, separator, json::serialize(key), ":");
      Append(member, out);
      separator = ",";
    }
    out->append(object->empty() ? "{}" : "}");
  } else if (const JsonArray* array = value.if_array()) {
    const char* separator = "[";
    for (const Json& item : *array) {
      out->append(separator);
      Append(item, out);
      separator = ",";
    }
    out->append(array->empty() ? "[]" : "]");
  } else if (value.is_double()) {
    AppendDouble(value.get_double(), out);
  } else {
    out->append(json::serialize(value));
  }
}

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text, int max_depth, size_t max_values) {
  std::string repaired;
  if (text.find("\\u") != text.npos) {
    repaired = std::string(text);
    ReplaceLoneSurrogates(&repaired);
    text = repaired;
  }
  json::parse_options options;
  options.max_depth = static_cast<size_t>(max_depth);
  json::basic_parser<Builder> parser(options, max_values);
  parser.handler().Reset();
  Error error;
  const size_t consumed = parser.write_some(false, text.data(), text.size(), error);
  if (!error && consumed < text.size()) error = json::error::extra_data;
  if (parser.handler().too_many_values()) {
    return absl::InvalidArgumentError(absl::StrCat("too much JSON at byte ", consumed, ": only ",
                                                   max_values, " values are accepted"));
  }
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("not valid JSON at byte ", consumed, ": ", error.message()));
  }
  return parser.handler().Release();
}

std::string SerializeJson(const Json& value) {
  std::string out;
  Append(value, &out);
  return out;
}

const Json* FindMember(const JsonObject& object, absl::string_view key) {
  return object.if_contains(ToBoost(key));
}

const Json* FindPresent(const JsonObject& object, absl::string_view key) {
  const Json* value = FindMember(object, key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace switchboard
