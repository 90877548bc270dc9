// The tensors of a small .safetensors file, read without any model code: expected values must not
// depend on what they judge.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_TENSOR_FILE_H_
#define SWITCHBOARD_TOOLS_GOLDEN_TENSOR_FILE_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace switchboard::golden {

class TensorFile {
 public:
  struct Tensor {
    std::string type;  // as the file names it: "U8", "I32", "F32"
    std::vector<int64_t> shape;
    absl::string_view bytes;  // row-major, little-endian; lives as long as the file

    // Elements as T. REQUIRES: T has the size of the file's type.
    template <typename T>
    std::vector<T> As() const {
      std::vector<T> values(bytes.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
      return values;
    }
  };

  // Layout: length of the header (8 bytes), a JSON header, the data. InvalidArgument when they do
  // not fit together.
  static absl::StatusOr<TensorFile> Parse(std::string bytes) {
    TensorFile file(std::move(bytes));
    uint64_t header_bytes = 0;
    if (file.bytes_->size() < sizeof(header_bytes)) return Broken("no header");
    std::memcpy(&header_bytes, file.bytes_->data(), sizeof(header_bytes));
    absl::string_view rest(*file.bytes_);
    rest.remove_prefix(sizeof(header_bytes));
    if (header_bytes > rest.size()) return Broken("the header is cut off");
    ASSIGN_OR_RETURN(const Json header, ParseJson(rest.substr(0, header_bytes)));
    if (!header.is_object()) return Broken("the header is no object");
    for (const auto& [name, entry] : header.get_object()) {
      if (name == "__metadata__") continue;
      absl::StatusOr<Tensor> tensor = Read(entry, rest.substr(header_bytes));
      if (!tensor.ok()) return Annotate(tensor.status(), ToAbsl(name));
      file.tensors_.emplace(std::string(name), *std::move(tensor));
    }
    return file;
  }

  // Null when the file has no tensor of that name.
  const Tensor* Find(absl::string_view name) const {
    const auto found = tensors_.find(std::string(name));
    return found == tensors_.end() ? nullptr : &found->second;
  }

 private:
  explicit TensorFile(std::string bytes)
      : bytes_(std::make_unique<const std::string>(std::move(bytes))) {}

  static absl::Status Broken(absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("broken tensor file: ", why));
  }

  static absl::StatusOr<std::vector<int64_t>> Integers(const JsonObject& entry,
                                                       absl::string_view key) {
    const Json* list = FindMember(entry, key);
    if (list == nullptr || !list->is_array()) return Broken(absl::StrCat(key, " is missing"));
    std::vector<int64_t> values;
    for (const Json& value : list->get_array()) {
      if (!value.is_int64() || value.get_int64() < 0) return Broken(absl::StrCat(key, " is odd"));
      values.push_back(value.get_int64());
    }
    return values;
  }

  static absl::StatusOr<Tensor> Read(const Json& entry, absl::string_view data) {
    const Json* type = entry.is_object() ? FindMember(entry.get_object(), "dtype") : nullptr;
    if (type == nullptr || !type->is_string()) return Broken("dtype is missing");
    Tensor tensor;
    tensor.type = std::string(type->get_string());
    ASSIGN_OR_RETURN(tensor.shape, Integers(entry.get_object(), "shape"));
    ASSIGN_OR_RETURN(const std::vector<int64_t> range,
                     Integers(entry.get_object(), "data_offsets"));
    if (range.size() != 2 || range[0] > range[1] || static_cast<uint64_t>(range[1]) > data.size()) {
      return Broken("data_offsets leave the file");
    }
    tensor.bytes = data.substr(range[0], range[1] - range[0]);
    return tensor;
  }

  std::unique_ptr<const std::string> bytes_;  // behind a pointer: the tensors point into it
  std::map<std::string, Tensor> tensors_;
};

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_TENSOR_FILE_H_
