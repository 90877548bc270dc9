#include "worker/model/gguf.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/backend/tensor.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::model {
namespace {

constexpr uint32_t kVersion = 3;
constexpr uint32_t kMaxDimensions = 4;
constexpr size_t kMaxName = 1024, kMaxKey = 65535;
constexpr uint64_t kDefaultAlignment = 32, kMaxAlignment = 65536;
// Fewest bytes of an entry: key length, key, type, value; name length, name, dimension count, one
// dimension, type, offset.
constexpr uint64_t kLeastPairBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kLeastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;
// Far beyond every real file; keeps the tables small.
constexpr uint64_t kMaxPairs = 1 << 16, kMaxTensors = 1 << 18;

// What is known of a tensor type of ggml: how many bytes so many values take.
struct TensorType {
  uint32_t id;
  absl::string_view name;
  int64_t values, bytes;
};
constexpr TensorType kTensorTypes[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 40},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56},   {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17}};

absl::Status Bad(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::Status BadKey(absl::string_view key, absl::string_view what) {
  return Bad(absl::StrCat("metadata key '", absl::CHexEscape(key.substr(0, 100)), "': ", what));
}

// Takes values from the front of the file's bytes; an error says that the file ends.
class Cursor {
 public:
  explicit Cursor(absl::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  absl::StatusOr<absl::string_view> Bytes(uint64_t count) {
    if (count > rest_.size()) {
      return Bad(absl::StrCat("byte ", position(), ": ", count, " bytes expected, but only ",
                              rest_.size(), " are left (interrupted download?)"));
    }
    const absl::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }

  template <typename T>
  absl::StatusOr<T> Number() {
    ASSIGN_OR_RETURN(const absl::string_view bytes, Bytes(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }

  absl::StatusOr<absl::string_view> String() {
    ASSIGN_OR_RETURN(const uint64_t length, Number<uint64_t>());
    return Bytes(length);
  }

  absl::string_view rest() const { return rest_; }
  uint64_t left() const { return rest_.size(); }
  uint64_t position() const { return size_ - rest_.size(); }

 private:
  absl::string_view rest_;
  const uint64_t size_;
};

struct Header {
  uint64_t tensors = 0, pairs = 0;
};

absl::StatusOr<Header> ReadHeader(Cursor* cursor) {
  ASSIGN_OR_RETURN(const absl::string_view magic, cursor->Bytes(4));
  if (magic != "GGUF") return Bad("not a GGUF file: it does not begin with the letters GGUF");
  ASSIGN_OR_RETURN(const uint32_t version, cursor->Number<uint32_t>());
  if (version != 0 && (version & 0xffff) == 0) {
    return Bad("a big-endian GGUF file; only little-endian ones are supported");
  }
  if (version != kVersion) {
    return Bad(absl::StrCat("GGUF version ", version, " is not supported, only version ", kVersion,
                            " is; convert the model again with a current tool"));
  }
  Header header;
  ASSIGN_OR_RETURN(header.tensors, cursor->Number<uint64_t>());
  ASSIGN_OR_RETURN(header.pairs, cursor->Number<uint64_t>());
  if (header.pairs > kMaxPairs || header.pairs > cursor->left() / kLeastPairBytes) {
    return Bad(absl::StrCat("metadata count ", header.pairs, " is more than the file can hold"));
  }
  if (header.tensors > kMaxTensors || header.tensors > cursor->left() / kLeastTensorBytes) {
    return Bad(absl::StrCat("tensor count ", header.tensors, " is more than the file can hold"));
  }
  return header;
}

// 0 for strings, which have no size of their own.
uint64_t BytesOf(GgufType type) {
  constexpr uint8_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return kSizes[static_cast<size_t>(type)];
}

absl::StatusOr<GgufType> ReadType(Cursor* cursor) {
  ASSIGN_OR_RETURN(const uint32_t type, cursor->Number<uint32_t>());
  if (type > static_cast<uint32_t>(GgufType::kFloat64)) {
    return Bad(absl::StrCat("value type ", type, " is not known"));
  }
  return static_cast<GgufType>(type);
}

// Steps over value->count elements and notes their bytes.
absl::Status ReadElements(Cursor* cursor, GgufValue* value) {
  const absl::string_view from = cursor->rest();
  if (value->type == GgufType::kString) {
    for (uint64_t i = 0; i < value->count; ++i) RETURN_IF_ERROR(cursor->String().status());
  } else {
    const uint64_t size = BytesOf(value->type);
    if (value->count > cursor->left() / size) {
      return Bad(absl::StrCat(value->count, " elements are more than the file holds"));
    }
    ASSIGN_OR_RETURN(const absl::string_view bytes, cursor->Bytes(value->count * size));
    const bool is_bool = value->type == GgufType::kBool;
    if (is_bool && bytes.find_first_not_of(absl::string_view("\0\1", 2)) != bytes.npos) {
      return Bad("a bool is neither 0 nor 1");
    }
  }
  value->bytes = from.substr(0, from.size() - cursor->left());
  return absl::OkStatus();
}

absl::Status ReadValue(Cursor* cursor, GgufValue* value) {
  ASSIGN_OR_RETURN(value->type, ReadType(cursor));
  value->is_array = value->type == GgufType::kArray;
  if (value->is_array) {
    ASSIGN_OR_RETURN(value->type, ReadType(cursor));
    if (value->type == GgufType::kArray) return Bad("arrays of arrays are not supported");
    ASSIGN_OR_RETURN(value->count, cursor->Number<uint64_t>());
  }
  return ReadElements(cursor, value);
}

absl::StatusOr<GgufMetadata> ReadMetadata(uint64_t count, Cursor* cursor) {
  std::vector<GgufValue> values;
  std::set<absl::string_view> keys;
  for (uint64_t i = 0; i < count; ++i) {
    GgufValue value;
    ASSIGN_OR_RETURN(value.key, cursor->String());
    if (value.key.empty() || value.key.size() > kMaxKey) {
      return Bad(absl::StrCat("metadata entry ", i, " has a key of ", value.key.size(), " bytes"));
    }
    if (!keys.insert(value.key).second) return BadKey(value.key, "occurs twice");
    if (absl::Status status = ReadValue(cursor, &value); !status.ok()) {
      return BadKey(value.key, status.message());
    }
    values.push_back(value);
  }
  return GgufMetadata(std::move(values));
}

absl::StatusOr<uint64_t> Alignment(const GgufMetadata& metadata) {
  const GgufValue* value = metadata.Find("general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  if (value->is_array || value->type != GgufType::kUint32) {
    return BadKey(value->key, "must be a uint32");
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> alignment, metadata.Int(value->key));
  const uint64_t size = static_cast<uint64_t>(*alignment);
  if (size < 8 || size > kMaxAlignment || (size & (size - 1)) != 0) {
    return BadKey(value->key, absl::StrCat("is ", size, ", not a power of two from 8 to 65536"));
  }
  return size;
}

const TensorType* FindType(uint32_t id) {
  for (const TensorType& type : kTensorTypes) {
    if (type.id == id) return &type;
  }
  return nullptr;
}

// An entry of the table; offset and size in bytes are the file's claims.
struct Entry {
  GgufTensor tensor;
  uint64_t size = 0;
};

absl::Status ReadShape(Cursor* cursor, GgufTensor* tensor, int64_t* elements) {
  ASSIGN_OR_RETURN(const uint32_t dimensions, cursor->Number<uint32_t>());
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    return BadTensor(tensor->name, absl::StrCat("has ", dimensions, " dimensions, not 1 to 4"));
  }
  *elements = 1;
  for (uint32_t i = 0; i < dimensions; ++i) {
    ASSIGN_OR_RETURN(const int64_t size, cursor->Number<int64_t>());
    if (size < 1) return BadTensor(tensor->name, absl::StrCat("has a dimension of ", size));
    if (__builtin_mul_overflow(*elements, size, elements)) {
      return BadTensor(tensor->name, "the product of its dimensions overflows");
    }
    tensor->shape.push_back(size);
  }
  std::reverse(tensor->shape.begin(), tensor->shape.end());
  return absl::OkStatus();
}

absl::StatusOr<Entry> ReadEntry(Cursor* cursor) {
  Entry entry;
  ASSIGN_OR_RETURN(const absl::string_view name, cursor->String());
  if (name.empty() || name.size() > kMaxName) {
    return Bad(absl::StrCat("a tensor has a name of ", name.size(), " bytes"));
  }
  entry.tensor.name = std::string(name);
  int64_t elements = 0;
  RETURN_IF_ERROR(ReadShape(cursor, &entry.tensor, &elements));
  ASSIGN_OR_RETURN(const uint32_t id, cursor->Number<uint32_t>());
  ASSIGN_OR_RETURN(entry.tensor.offset, cursor->Number<uint64_t>());
  const TensorType* type = FindType(id);
  if (type == nullptr) {
    entry.tensor.type = absl::StrCat("type ", id);
    return entry;
  }
  entry.tensor.type = std::string(type->name);
  if (entry.tensor.shape.back() % type->values != 0) {
    return BadTensor(name, absl::StrCat("rows of ", entry.tensor.shape.back(), " values are no ",
                                        "whole ", type->name, " blocks of ", type->values));
  }
  int64_t size = 0;
  if (__builtin_mul_overflow(elements / type->values, type->bytes, &size)) {
    return BadTensor(name, "its size in bytes overflows");
  }
  entry.size = static_cast<uint64_t>(size);
  return entry;
}

// Gives the tensor its bytes. `data` begins at byte `first` of the file.
absl::Status Place(absl::string_view data, uint64_t first, uint64_t alignment, Entry* entry) {
  GgufTensor& tensor = entry->tensor;
  if (tensor.offset % alignment != 0) {
    return BadTensor(tensor.name, absl::StrCat("its offset ", tensor.offset,
                                               " is no multiple of the alignment ", alignment));
  }
  if (tensor.offset > data.size() || entry->size > data.size() - tensor.offset) {
    return BadTensor(tensor.name, absl::StrCat(entry->size, " bytes at offset ", tensor.offset,
                                               " are not within the ", data.size(),
                                               " bytes of data (interrupted download?)"));
  }
  tensor.bytes = data.substr(tensor.offset, entry->size);
  tensor.offset += first;
  return absl::OkStatus();
}

absl::Status RefuseOverlaps(const std::vector<GgufTensor>& tensors) {
  std::vector<const GgufTensor*> order;
  for (const GgufTensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const GgufTensor* a, const GgufTensor* b) {
    return std::make_pair(a->offset, a->bytes.size()) < std::make_pair(b->offset, b->bytes.size());
  });
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i]->offset < order[i - 1]->offset + order[i - 1]->bytes.size()) {
      return BadTensor(order[i]->name, "overlaps the tensor before it");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<GgufTensor>> ReadTensors(uint64_t count, uint64_t alignment,
                                                    Cursor* cursor) {
  std::vector<Entry> entries;
  std::set<std::string> names;
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Entry entry, ReadEntry(cursor));
    if (!names.insert(entry.tensor.name).second) {
      return BadTensor(entry.tensor.name, "occurs twice");
    }
    entries.push_back(std::move(entry));
  }
  const uint64_t padding = (alignment - cursor->position() % alignment) % alignment;
  // A file without tensors may end before its padding does.
  RETURN_IF_ERROR(cursor->Bytes(std::min(padding, cursor->left())).status());
  std::vector<GgufTensor> tensors;
  for (Entry& entry : entries) {
    RETURN_IF_ERROR(Place(cursor->rest(), cursor->position(), alignment, &entry));
    tensors.push_back(std::move(entry.tensor));
  }
  RETURN_IF_ERROR(RefuseOverlaps(tensors));
  return tensors;
}

}  // namespace

absl::StatusOr<GgufContent> ParseGguf(absl::string_view content) {
  Cursor cursor(content);
  ASSIGN_OR_RETURN(const Header header, ReadHeader(&cursor));
  ASSIGN_OR_RETURN(GgufMetadata metadata, ReadMetadata(header.pairs, &cursor));
  ASSIGN_OR_RETURN(const uint64_t alignment, Alignment(metadata));
  ASSIGN_OR_RETURN(std::vector<GgufTensor> tensors,
                   ReadTensors(header.tensors, alignment, &cursor));
  return GgufContent{std::move(metadata), std::move(tensors)};
}

}  // namespace switchboard::model
