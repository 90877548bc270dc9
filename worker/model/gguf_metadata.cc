#include "worker/model/gguf_metadata.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace switchboard::model {
namespace {

template <typename T>
T Load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

absl::Status Bad(const GgufValue& value, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "metadata key '", absl::CHexEscape(value.key.substr(0, 100)), "' ", what, ", but is ",
      value.is_array ? "an array of " : "", NameOf(value.type), value.is_array ? "s" : ""));
}

// The scalar as a whole number; nullopt for another type and beyond int64.
std::optional<int64_t> WholeNumber(const GgufValue& value) {
  if (value.is_array) return std::nullopt;
  const char* bytes = value.bytes.data();
  switch (value.type) {
    case GgufType::kUint8:
      return Load<uint8_t>(bytes);
    case GgufType::kInt8:
      return Load<int8_t>(bytes);
    case GgufType::kUint16:
      return Load<uint16_t>(bytes);
    case GgufType::kInt16:
      return Load<int16_t>(bytes);
    case GgufType::kUint32:
      return Load<uint32_t>(bytes);
    case GgufType::kInt32:
      return Load<int32_t>(bytes);
    case GgufType::kInt64:
      return Load<int64_t>(bytes);
    case GgufType::kUint64: {
      const uint64_t number = Load<uint64_t>(bytes);
      if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
      return static_cast<int64_t>(number);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

absl::string_view NameOf(GgufType type) {
  constexpr absl::string_view kNames[] = {"uint8",  "int8",    "uint16", "int16",  "uint32",
                                          "int32",  "float32", "bool",   "string", "array",
                                          "uint64", "int64",   "float64"};
  return kNames[static_cast<size_t>(type)];
}

GgufMetadata::GgufMetadata(std::vector<GgufValue> values) : values_(std::move(values)) {
  for (size_t i = 0; i < values_.size(); ++i) by_key_.push_back(i);
  std::sort(by_key_.begin(), by_key_.end(),
            [this](size_t a, size_t b) { return values_[a].key < values_[b].key; });
}

const GgufValue* GgufMetadata::Find(absl::string_view key) const {
  const auto it =
      std::lower_bound(by_key_.begin(), by_key_.end(), key,
                       [this](size_t i, absl::string_view k) { return values_[i].key < k; });
  return it != by_key_.end() && values_[*it].key == key ? &values_[*it] : nullptr;
}

absl::StatusOr<std::optional<int64_t>> GgufMetadata::Int(absl::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> number = WholeNumber(*value);
  if (!number.has_value()) return Bad(*value, "must be a whole number below 2^63");
  return number;
}

absl::StatusOr<std::optional<double>> GgufMetadata::Float(absl::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array && value->type == GgufType::kFloat32)
    return Load<float>(value->bytes.data());
  if (!value->is_array && value->type == GgufType::kFloat64) {
    return Load<double>(value->bytes.data());
  }
  return Bad(*value, "must be a float");
}

absl::StatusOr<std::optional<bool>> GgufMetadata::Bool(absl::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || value->type != GgufType::kBool) return Bad(*value, "must be a bool");
  return value->bytes[0] != 0;
}

absl::StatusOr<std::optional<absl::string_view>> GgufMetadata::Text(absl::string_view key) const {
  const GgufValue* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array || value->type != GgufType::kString) return Bad(*value, "must be a string");
  return value->bytes.substr(sizeof(uint64_t));
}

absl::StatusOr<std::vector<absl::string_view>> GgufMetadata::Texts(absl::string_view key) const {
  std::vector<absl::string_view> texts;
  const GgufValue* value = Find(key);
  if (value == nullptr) return texts;
  if (!value->is_array || value->type != GgufType::kString) {
    return Bad(*value, "must be an array of strings");
  }
  absl::string_view rest = value->bytes;
  for (uint64_t i = 0; i < value->count; ++i) {
    const uint64_t length = Load<uint64_t>(rest.data());
    texts.push_back(rest.substr(sizeof(length), length));
    rest.remove_prefix(sizeof(length) + length);
  }
  return texts;
}

absl::StatusOr<std::vector<int32_t>> GgufMetadata::Ints(absl::string_view key) const {
  std::vector<int32_t> numbers;
  const GgufValue* value = Find(key);
  if (value == nullptr) return numbers;
  if (!value->is_array || (value->type != GgufType::kInt32 && value->type != GgufType::kUint32)) {
    return Bad(*value, "must be an array of int32s");
  }
  for (uint64_t i = 0; i < value->count; ++i) {
    numbers.push_back(Load<int32_t>(value->bytes.data() + i * sizeof(int32_t)));
    if (value->type == GgufType::kUint32 && numbers.back() < 0) {
      return Bad(*value, "must have numbers below 2^31");
    }
  }
  return numbers;
}

absl::StatusOr<std::vector<float>> GgufMetadata::Floats(absl::string_view key) const {
  std::vector<float> numbers;
  const GgufValue* value = Find(key);
  if (value == nullptr) return numbers;
  if (!value->is_array || value->type != GgufType::kFloat32) {
    return Bad(*value, "must be an array of float32s");
  }
  for (uint64_t i = 0; i < value->count; ++i) {
    numbers.push_back(Load<float>(value->bytes.data() + i * sizeof(float)));
  }
  return numbers;
}

}  // namespace switchboard::model
