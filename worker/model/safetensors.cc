#include "worker/model/safetensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace switchboard::model {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kLengthBytes = 8;
constexpr size_t kMaxRank = 16;
constexpr int kHeaderDepth = 8;

struct ElementType {
  absl::string_view name;
  int64_t bytes;
};
constexpr ElementType kElementTypes[] = {{"F32", 4},  {"BF16", 2},    {"F16", 2},    {"F64", 8},
                                         {"I64", 8},  {"I32", 4},     {"I16", 2},    {"I8", 1},
                                         {"U64", 8},  {"U32", 4},     {"U16", 2},    {"U8", 1},
                                         {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

absl::Status Bad(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Keys of the objects at depth 1 and 2 as the text has them; the JSON reader keeps only the last of
// equal ones. A colon outside strings is a key. REQUIRES: valid JSON.
std::pair<size_t, size_t> CountKeys(absl::string_view json) {
  size_t keys[3] = {};
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':' && depth <= 2) {
      ++keys[depth];
    }
  }
  return {keys[1], keys[2]};
}

absl::Status RefuseDuplicateKeys(absl::string_view text, const JsonObject& header) {
  size_t inner = 0;
  for (const auto& [name, entry] : header)
    inner += entry.is_object() ? entry.as_object().size() : 0;
  const auto [outer_keys, inner_keys] = CountKeys(text);
  if (outer_keys != header.size() || inner_keys != inner)
    return Bad("the header has duplicate keys");
  return absl::OkStatus();
}

absl::Status CheckMetadata(const Json& metadata) {
  if (!metadata.is_object()) return Bad("__metadata__ is not an object");
  for (const auto& [key, value] : metadata.as_object()) {
    if (!value.is_string()) return Bad("__metadata__ has a value that is not a string");
  }
  return absl::OkStatus();
}

// Whole numbers of at least 0 that fit int64, from a JSON array.
absl::StatusOr<std::vector<int64_t>> Sizes(const JsonObject& entry, absl::string_view key,
                                           absl::string_view tensor) {
  const Json* value = FindMember(entry, key);
  if (value == nullptr || !value->is_array() || value->as_array().size() > kMaxRank) {
    return BadTensor(tensor, absl::StrCat(key, " is not an array of at most 16 numbers"));
  }
  std::vector<int64_t> sizes;
  for (const Json& size : value->as_array()) {
    if (!size.is_int64() || size.as_int64() < 0) {
      return BadTensor(tensor, absl::StrCat(key, " has a value that is no size"));
    }
    sizes.push_back(size.as_int64());
  }
  return sizes;
}

absl::StatusOr<int64_t> ElementBytes(const JsonObject& entry, absl::string_view tensor) {
  const Json* dtype = FindMember(entry, "dtype");
  if (dtype == nullptr || !dtype->is_string()) return BadTensor(tensor, "dtype is not a string");
  const absl::string_view name = ToAbsl(dtype->as_string());
  for (const ElementType& type : kElementTypes) {
    if (type.name == name) return type.bytes;
  }
  return BadTensor(tensor,
                   absl::StrCat("unknown dtype '", absl::CHexEscape(name.substr(0, 40)), "'"));
}

absl::StatusOr<int64_t> BytesOfShape(const std::vector<int64_t>& shape, int64_t element_bytes,
                                     absl::string_view tensor) {
  int64_t bytes = element_bytes;
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) {
      return BadTensor(tensor, absl::StrCat("shape ", backend::ShapeText(shape), " overflows"));
    }
  }
  return bytes;
}

absl::StatusOr<StoredTensor> ParseEntry(absl::string_view name, const Json& value,
                                        absl::string_view data) {
  if (!value.is_object()) return BadTensor(name, "its entry is not an object");
  const JsonObject& entry = value.as_object();
  if (entry.size() != 3)
    return BadTensor(name, "its entry has other keys than dtype, shape, data_offsets");
  ASSIGN_OR_RETURN(const int64_t element_bytes, ElementBytes(entry, name));
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, Sizes(entry, "shape", name));
  ASSIGN_OR_RETURN(const std::vector<int64_t> range, Sizes(entry, "data_offsets", name));
  if (range.size() != 2 || range[0] > range[1]) {
    return BadTensor(name, "data_offsets is not a begin and an end");
  }
  if (static_cast<uint64_t>(range[1]) > data.size()) {
    return BadTensor(name, absl::StrCat("ends at byte ", range[1], " of the data, but only ",
                                        data.size(), " are there (interrupted download?)"));
  }
  ASSIGN_OR_RETURN(const int64_t bytes, BytesOfShape(shape, element_bytes, name));
  if (bytes != range[1] - range[0]) {
    return BadTensor(name, absl::StrCat("shape ", backend::ShapeText(shape), " takes ", bytes,
                                        " bytes, data_offsets give ", range[1] - range[0]));
  }
  return StoredTensor{std::string(name), std::string(ToAbsl(entry.at("dtype").as_string())),
                      std::move(shape),
                      data.substr(static_cast<size_t>(range[0]), static_cast<size_t>(bytes)), 0};
}

// Sorts by place and checks that each begins where the one before ends.
absl::Status CheckCoverage(absl::string_view data, std::vector<StoredTensor>* tensors) {
  std::sort(tensors->begin(), tensors->end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::make_tuple(a.bytes.data(), a.bytes.size()) <
           std::make_tuple(b.bytes.data(), b.bytes.size());
  });
  size_t end = 0;
  for (const StoredTensor& tensor : *tensors) {
    const size_t begin = static_cast<size_t>(tensor.bytes.data() - data.data());
    if (begin < end) return BadTensor(tensor.name, "overlaps the tensor before it");
    if (begin > end) {
      return BadTensor(tensor.name,
                       absl::StrCat(begin - end, " bytes before it belong to no tensor"));
    }
    end += tensor.bytes.size();
  }
  if (end != data.size()) {
    return Bad(absl::StrCat(data.size() - end, " bytes at the end belong to no tensor"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<StoredTensor>> ParseSafetensors(absl::string_view content) {
  if (content.size() < kLengthBytes) return Bad("shorter than the 8 bytes of a header length");
  uint64_t length = 0;
  std::memcpy(&length, content.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    return Bad(absl::StrCat("header length ", length, " is above the limit of ", kMaxHeaderBytes));
  }
  content.remove_prefix(kLengthBytes);
  if (length > content.size()) {
    return Bad(absl::StrCat("header length ", length, " is more than the file holds (",
                            content.size(), " bytes; interrupted download?)"));
  }
  const absl::string_view text = content.substr(0, static_cast<size_t>(length));
  const absl::string_view data = content.substr(static_cast<size_t>(length));
  absl::StatusOr<Json> header = ParseJson(text, kHeaderDepth);
  if (!header.ok()) return Annotate(header.status(), "header");
  if (!header->is_object()) return Bad("the header is not a JSON object");
  RETURN_IF_ERROR(RefuseDuplicateKeys(text, header->as_object()));
  std::vector<StoredTensor> tensors;
  for (const auto& [key, value] : header->as_object()) {
    if (key == "__metadata__") {
      RETURN_IF_ERROR(CheckMetadata(value));
      continue;
    }
    ASSIGN_OR_RETURN(StoredTensor tensor, ParseEntry(ToAbsl(key), value, data));
    tensors.push_back(std::move(tensor));
  }
  RETURN_IF_ERROR(CheckCoverage(data, &tensors));
  return tensors;
}

}  // namespace switchboard::model
