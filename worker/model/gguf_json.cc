#include "worker/model/gguf_json.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace switchboard::model {
namespace {

absl::Status Bad(const GgufValue& value, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("metadata key '", absl::CHexEscape(value.key.substr(0, 100)), "' holds ", what));
}

template <typename T>
T Take(absl::string_view* rest) {
  T number;
  std::memcpy(&number, rest->data(), sizeof(number));
  rest->remove_prefix(sizeof(number));
  return number;
}

absl::StatusOr<Json> TakeFloat(const GgufValue& value, double number) {
  if (!std::isfinite(number)) return Bad(value, "a float that is not finite");
  return Json(number);
}

absl::StatusOr<Json> TakeText(const GgufValue& value, absl::string_view* rest) {
  const uint64_t length = Take<uint64_t>(rest);
  const absl::string_view text = rest->substr(0, length);
  rest->remove_prefix(length);
  if (!IsValidUtf8(text)) return Bad(value, "a string that is not UTF-8");
  return Json(ToBoost(text));
}

absl::StatusOr<Json> TakeElement(const GgufValue& value, absl::string_view* rest) {
  switch (value.type) {
    case GgufType::kUint8:
      return Json(Take<uint8_t>(rest));
    case GgufType::kInt8:
      return Json(Take<int8_t>(rest));
    case GgufType::kUint16:
      return Json(Take<uint16_t>(rest));
    case GgufType::kInt16:
      return Json(Take<int16_t>(rest));
    case GgufType::kUint32:
      return Json(int64_t{Take<uint32_t>(rest)});
    case GgufType::kInt32:
      return Json(Take<int32_t>(rest));
    case GgufType::kFloat32:
      return TakeFloat(value, Take<float>(rest));
    case GgufType::kBool:
      return Json(Take<uint8_t>(rest) != 0);
    case GgufType::kString:
      return TakeText(value, rest);
    case GgufType::kUint64:
      return Json(Take<uint64_t>(rest));
    case GgufType::kInt64:
      return Json(Take<int64_t>(rest));
    case GgufType::kFloat64:
      return TakeFloat(value, Take<double>(rest));
    case GgufType::kArray:
      break;
  }
  return Bad(value, "an array of arrays");
}

}  // namespace

absl::StatusOr<Json> GgufJson(const GgufValue& value) {
  absl::string_view rest = value.bytes;
  if (!value.is_array) return TakeElement(value, &rest);
  JsonArray list;
  for (uint64_t i = 0; i < value.count; ++i) {
    ASSIGN_OR_RETURN(Json element, TakeElement(value, &rest));
    list.push_back(std::move(element));
  }
  return Json(std::move(list));
}

}  // namespace switchboard::model
