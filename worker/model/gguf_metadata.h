// The key-value part of a GGUF file. Values stay where they are in the file until they are asked
// for.
#ifndef SWITCHBOARD_WORKER_MODEL_GGUF_METADATA_H_
#define SWITCHBOARD_WORKER_MODEL_GGUF_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::model {

// Numbers as the file has them.
enum class GgufType : uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};
// "uint8", "string", ...
absl::string_view NameOf(GgufType type);

// A checked value in the file's bytes.
struct GgufValue {
  absl::string_view key;
  bool is_array = false;
  GgufType type = GgufType::kUint8;  // of the value, or of the array's elements; never kArray
  uint64_t count = 1;                // of elements
  absl::string_view bytes;           // `count` elements; a string is a length (8 bytes) and text
};

// The getters give nullopt (for lists: an empty one) for an absent key and InvalidArgument, naming
// the key, for a value of another type. A whole number may have any integer type, a float is
// float32 or float64. Immutable, so thread-safe; texts borrow from the file.
class GgufMetadata {
 public:
  // REQUIRES: the keys are unique.
  explicit GgufMetadata(std::vector<GgufValue> values);

  // In order of the file.
  const std::vector<GgufValue>& values() const { return values_; }
  // nullptr when there is none.
  const GgufValue* Find(absl::string_view key) const;

  absl::StatusOr<std::optional<int64_t>> Int(absl::string_view key) const;
  absl::StatusOr<std::optional<double>> Float(absl::string_view key) const;
  absl::StatusOr<std::optional<bool>> Bool(absl::string_view key) const;
  absl::StatusOr<std::optional<absl::string_view>> Text(absl::string_view key) const;
  // Lists. Ints must be int32 or uint32 in the file, and fit int32.
  absl::StatusOr<std::vector<absl::string_view>> Texts(absl::string_view key) const;
  absl::StatusOr<std::vector<int32_t>> Ints(absl::string_view key) const;
  absl::StatusOr<std::vector<float>> Floats(absl::string_view key) const;

 private:
  std::vector<GgufValue> values_;
  std::vector<size_t> by_key_;  // indices of values_, sorted by key
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GGUF_METADATA_H_
