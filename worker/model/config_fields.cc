#include "worker/model/config_fields.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace switchboard::model {

absl::Status BadConfig(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("config.json: ", what));
}

std::string ConfigValueText(const Json& value) { return SerializeJson(value).substr(0, 80); }

absl::StatusOr<const JsonObject*> ConfigObject(const JsonObject& config, absl::string_view key) {
  const Json* value = FindPresent(config, key);
  if (value == nullptr || !value->is_object()) {
    return BadConfig(absl::StrCat(key, " is not an object"));
  }
  return &value->as_object();
}

int ConfigFields::Int(absl::string_view key, int64_t lowest, int64_t highest, int64_t absent) {
  const Json* value = FindPresent(*object_, key);
  if (value == nullptr) {
    if (absent < 0) Fail(absl::StrCat(path_, key, " is missing"));
    return static_cast<int>(absent);
  }
  if (value->is_int64() && value->as_int64() >= lowest && value->as_int64() <= highest) {
    return static_cast<int>(value->as_int64());
  }
  Fail(absl::StrCat(path_, key, " is ", ConfigValueText(*value), ", not a whole number from ",
                    lowest, " to ", highest));
  return static_cast<int>(lowest);
}

double ConfigFields::Number(absl::string_view key, double lowest, double highest, double absent) {
  const Json* value = FindPresent(*object_, key);
  if (value == nullptr) {
    if (std::isnan(absent)) Fail(absl::StrCat(path_, key, " is missing"));
    return absent;
  }
  if (value->is_number()) {
    const double number = value->to_number<double>();
    if (number >= lowest && number <= highest) return number;
  }
  Fail(absl::StrCat(path_, key, " is ", ConfigValueText(*value), ", not a number from ", lowest,
                    " to ", highest));
  return lowest;
}

bool ConfigFields::Flag(absl::string_view key, bool absent) {
  const Json* value = FindPresent(*object_, key);
  if (value == nullptr) return absent;
  if (!value->is_bool()) Fail(absl::StrCat(path_, key, " is not true or false"));
  return value->is_bool() && value->as_bool();
}

void ConfigFields::MustBe(absl::string_view key, absl::string_view expected) {
  const Json* value = FindPresent(*object_, key);
  if (value == nullptr || (value->is_string() && ToAbsl(value->as_string()) == expected)) return;
  Fail(absl::StrCat(path_, key, " is ", ConfigValueText(*value), "; only \"", expected,
                    "\" is supported"));
}

void ConfigFields::Fail(absl::string_view what) {
  if (status_.ok()) status_ = BadConfig(what);
}

}  // namespace switchboard::model
