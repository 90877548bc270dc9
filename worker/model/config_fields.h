// Reads the keys of one object of a config.json, each with its range.
#ifndef SWITCHBOARD_WORKER_MODEL_CONFIG_FIELDS_H_
#define SWITCHBOARD_WORKER_MODEL_CONFIG_FIELDS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace switchboard::model {

// Wide limits that keep products of sizes within 64 bits.
inline constexpr int64_t kMaxWidth = 1 << 18;
inline constexpr int64_t kMaxVocabulary = 1 << 24;
inline constexpr int64_t kMaxLayers = 4096;
inline constexpr int64_t kMaxHeads = 4096;
inline constexpr int64_t kMaxHeadDim = 1 << 14;
inline constexpr int64_t kMaxPositions = 1 << 24;

// InvalidArgument "config.json: WHAT".
absl::Status BadConfig(absl::string_view what);

// A value as a message shows it: JSON, cut.
std::string ConfigValueText(const Json& value);

// Member `key`, which must be an object.
absl::StatusOr<const JsonObject*> ConfigObject(const JsonObject& config, absl::string_view key);

// The first error stays. An absent key (or null) takes the default, or is an error where there is
// none. The object is borrowed.
class ConfigFields {
 public:
  // `path` stands before the keys in messages: "text_config.".
  ConfigFields(const JsonObject* object, std::string path)
      : object_(object), path_(std::move(path)) {}

  bool Has(absl::string_view key) const { return FindPresent(*object_, key) != nullptr; }
  int Int(absl::string_view key, int64_t lowest, int64_t highest, int64_t absent = -1);
  double Number(absl::string_view key, double lowest, double highest,
                double absent = std::numeric_limits<double>::quiet_NaN());
  bool Flag(absl::string_view key, bool absent = false);
  // Absent, or this string.
  void MustBe(absl::string_view key, absl::string_view expected);

  void Fail(absl::string_view what);
  const absl::Status& status() const { return status_; }

 private:
  const JsonObject* const object_;
  const std::string path_;
  absl::Status status_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_CONFIG_FIELDS_H_
