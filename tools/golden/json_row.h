// Typed access to one row of expected values; what is missing or of another type is an error, never
// a default that would judge as right.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_JSON_ROW_H_
#define SWITCHBOARD_TOOLS_GOLDEN_JSON_ROW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace switchboard::golden {

// A view of a JSON object, which must outlive it.
class JsonRow {
 public:
  explicit JsonRow(const JsonObject& object) : object_(object) {}

  bool Has(absl::string_view key) const { return FindMember(object_, key) != nullptr; }

  absl::StatusOr<const Json*> Find(absl::string_view key) const {
    const Json* value = FindMember(object_, key);
    if (value == nullptr) return Bad(key, "is missing");
    return value;
  }
  absl::StatusOr<JsonRow> Row(absl::string_view key) const {
    ASSIGN_OR_RETURN(const Json* value, Find(key));
    if (!value->is_object()) return Bad(key, "is no object");
    return JsonRow(value->get_object());
  }
  absl::StatusOr<bool> Bool(absl::string_view key) const {
    ASSIGN_OR_RETURN(const Json* value, Find(key));
    if (!value->is_bool()) return Bad(key, "is no boolean");
    return value->get_bool();
  }
  absl::StatusOr<int64_t> Int(absl::string_view key) const {
    ASSIGN_OR_RETURN(const Json* value, Find(key));
    if (!value->is_int64()) return Bad(key, "is no integer");
    return value->get_int64();
  }
  absl::StatusOr<double> Number(absl::string_view key) const {
    ASSIGN_OR_RETURN(const Json* value, Find(key));
    if (value->is_double()) return value->get_double();
    if (value->is_int64()) return static_cast<double>(value->get_int64());
    return Bad(key, "is no number");
  }
  absl::StatusOr<std::string> Text(absl::string_view key) const {
    ASSIGN_OR_RETURN(const Json* value, Find(key));
    if (!value->is_string()) return Bad(key, "is no string");
    return std::string(value->get_string());
  }
  absl::StatusOr<std::vector<int64_t>> Ints(absl::string_view key) const {
    ASSIGN_OR_RETURN(const Json* value, Find(key));
    if (!value->is_array()) return Bad(key, "is no list");
    std::vector<int64_t> numbers;
    for (const Json& item : value->get_array()) {
      if (!item.is_int64()) return Bad(key, "is no list of integers");
      numbers.push_back(item.get_int64());
    }
    return numbers;
  }

  absl::StatusOr<std::vector<double>> Numbers(absl::string_view key) const {
    ASSIGN_OR_RETURN(const Json* value, Find(key));
    if (!value->is_array()) return Bad(key, "is no list");
    std::vector<double> numbers;
    for (const Json& item : value->get_array()) {
      if (!item.is_double() && !item.is_int64()) return Bad(key, "is no list of numbers");
      numbers.push_back(item.is_double() ? item.get_double()
                                         : static_cast<double>(item.get_int64()));
    }
    return numbers;
  }

  const JsonObject& object() const { return object_; }

 private:
  static absl::Status Bad(absl::string_view key, absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("expected value ", key, " ", why));
  }

  const JsonObject& object_;
};

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_JSON_ROW_H_
