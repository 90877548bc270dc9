#include "text/tokenizer/json_field.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace switchboard::text {

absl::StatusOr<JsonField> JsonField::Of(const Json& value, absl::string_view path) {
  const JsonObject* object = value.if_object();
  if (object == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.empty() ? "the file" : path, ": want an object"));
  }
  return JsonField(object, std::string(path));
}

std::string JsonField::Path(absl::string_view key) const {
  // Keys may come from the file, too.
  const std::string shown = absl::Utf8SafeCHexEscape(key);
  return path_.empty() ? shown : absl::StrCat(path_, ".", shown);
}

absl::Status JsonField::Invalid(absl::string_view key, absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(Path(key), ": ", what));
}

absl::Status JsonField::Unsupported(absl::string_view key, absl::string_view what) const {
  return absl::UnimplementedError(absl::StrCat(Path(key), ": ", what));
}

absl::StatusOr<JsonField> JsonField::Object(absl::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Invalid(key, "missing");
  return Of(*value, Path(key));
}

absl::StatusOr<const JsonArray*> JsonField::List(absl::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_array()) return Invalid(key, "want a list");
  return value->if_array();
}

absl::StatusOr<std::string> JsonField::String(absl::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_string()) return Invalid(key, "want a string");
  return std::string(ToAbsl(value->get_string()));
}

absl::StatusOr<bool> JsonField::Bool(absl::string_view key, bool otherwise) const {
  const Json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_bool()) return Invalid(key, "want true or false");
  return value->get_bool();
}

}  // namespace switchboard::text
