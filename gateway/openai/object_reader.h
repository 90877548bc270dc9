// Reads the members of one JSON object under the API's rules: null is absent, an integral float is
// an integer, a boolean or a string is no number. Every error names the member by its path.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_OBJECT_READER_H_
#define SWITCHBOARD_GATEWAY_OPENAI_OBJECT_READER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace switchboard::openai {

// The largest value that a number of a request may have where it becomes an int32.
inline constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Paths as errors give them in `param`.
std::string MemberPath(absl::string_view path, absl::string_view key);  // path.key
std::string ItemPath(absl::string_view path, size_t index);             // path[index]

// 400 array_above_max_length when `size`, which is that of the list at `path`, is above `most`.
absl::Status CheckLength(absl::string_view path, size_t size, size_t most);

// "a string", "an array", ...: what a value is, for messages.
absl::string_view KindName(const Json& value);
absl::Status WrongType(absl::string_view path, absl::string_view wanted, const Json& value);
absl::Status Missing(absl::string_view path);

// `value` as an integer in [least, most].
absl::StatusOr<int64_t> IntegerAt(absl::string_view path, const Json& value, int64_t least,
                                  int64_t most);
// `value` as a number in [least, most].
absl::StatusOr<double> NumberAt(absl::string_view path, const Json& value, double least,
                                double most);

// Borrows the object, which must stay alive and unchanged. Not thread-safe. The typed readers
// return nothing (nullopt, nullptr) for a member that is absent or null, and a 400 for one of
// another type.
class ObjectReader {
 public:
  // `path` is where the object stands; empty for the body itself.
  explicit ObjectReader(const JsonObject* object, std::string path = "")
      : object_(object), path_(std::move(path)) {}

  std::string Path(absl::string_view key) const { return MemberPath(path_, key); }

  // The member whatever it is.
  const Json* Any(absl::string_view key);
  absl::StatusOr<std::optional<bool>> Bool(absl::string_view key);
  absl::StatusOr<std::optional<int64_t>> Integer(absl::string_view key, int64_t least,
                                                 int64_t most);
  absl::StatusOr<std::optional<double>> Number(absl::string_view key, double least, double most);
  absl::StatusOr<std::optional<absl::string_view>> String(absl::string_view key);
  absl::StatusOr<const JsonArray*> Array(absl::string_view key);
  absl::StatusOr<const JsonObject*> Object(absl::string_view key);

  // Members that are set and that nobody has asked for: ignored by rule, counted for the operator.
  int UnreadMembers() const;

 private:
  const JsonObject* const object_;
  const std::string path_;
  absl::flat_hash_set<std::string> read_;
};

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_OBJECT_READER_H_
