// Reads members of JSON objects, with errors that name the field: `model.merges: want a list`.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_JSON_FIELD_H_
#define SWITCHBOARD_TEXT_TOKENIZER_JSON_FIELD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace switchboard::text {

// A JSON object and where it stands in the file. A value type; the object must outlive it.
class JsonField {
 public:
  // InvalidArgument unless `value` is an object.
  static absl::StatusOr<JsonField> Of(const Json& value, absl::string_view path);

  // The member, or nullptr when it is absent or null.
  const Json* Find(absl::string_view key) const { return FindPresent(*object_, key); }
  // InvalidArgument when the member is absent or of another type.
  absl::StatusOr<JsonField> Object(absl::string_view key) const;
  absl::StatusOr<const JsonArray*> List(absl::string_view key) const;
  absl::StatusOr<std::string> String(absl::string_view key) const;
  // `otherwise` when the member is absent or null; InvalidArgument when it is of another type.
  absl::StatusOr<bool> Bool(absl::string_view key, bool otherwise) const;

  const JsonObject& object() const { return *object_; }
  std::string Path(absl::string_view key) const;
  absl::Status Invalid(absl::string_view key, absl::string_view what) const;
  absl::Status Unsupported(absl::string_view key, absl::string_view what) const;

 private:
  JsonField(const JsonObject* object, std::string path) : object_(object), path_(std::move(path)) {}

  const JsonObject* object_;
  std::string path_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_JSON_FIELD_H_
