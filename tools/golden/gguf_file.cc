#include "tools/golden/gguf_file.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "tools/golden/json_row.h"
#include "worker/model/gguf.h"
#include "worker/model/gguf_json.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::golden {
namespace {

absl::Status Differs(const Json& want, const Json& got) {
  return absl::DataLossError(absl::StrCat("want ", SerializeJson(want).substr(0, 100), ", got ",
                                          SerializeJson(got).substr(0, 100)));
}

absl::Status Same(const Json& want, const Json& got) {
  return want == got ? absl::OkStatus() : Differs(want, got);
}

// The file is the one that the expected values were taken from.
absl::Status JudgeIdentity(const JsonRow& expected, const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(const int64_t bytes, expected.Int("bytes"));
  ASSIGN_OR_RETURN(const std::string digest, expected.Text("sha256"));
  RETURN_IF_ERROR(Same(bytes, static_cast<int64_t>(file->bytes().size())));
  return Same(ToBoost(digest), ToBoost(ToHex(Sha256Of(file->bytes()))));
}

// The first and last elements of a list too long to be written out.
absl::Status JudgeLongList(const JsonRow& want, const JsonArray& got) {
  ASSIGN_OR_RETURN(const int64_t length, want.Int("length"));
  ASSIGN_OR_RETURN(const Json* first, want.Find("first"));
  ASSIGN_OR_RETURN(const Json* last, want.Find("last"));
  RETURN_IF_ERROR(Same(length, static_cast<int64_t>(got.size())));
  const std::pair<const Json*, bool> ends[] = {{first, true}, {last, false}};
  for (const auto& [part, at_start] : ends) {
    if (!part->is_array() || part->as_array().empty() || part->as_array().size() > got.size()) {
      return absl::InvalidArgumentError("first or last is no fitting list");
    }
    const size_t skipped = at_start ? 0 : got.size() - part->as_array().size();
    for (size_t i = 0; i < part->as_array().size(); ++i) {
      RETURN_IF_ERROR(Same(part->as_array()[i], got[skipped + i]));
    }
  }
  return absl::OkStatus();
}

absl::Status JudgeValue(absl::string_view key, const Json& want, const model::GgufContent& file) {
  const std::vector<model::GgufValue>& values = file.metadata.values();
  // Not among the values: what the header says.
  if (key == "GGUF.version") return Same(want, 3);
  if (key == "GGUF.tensor_count") return Same(want, static_cast<int64_t>(file.tensors.size()));
  if (key == "GGUF.kv_count") return Same(want, static_cast<int64_t>(values.size()));
  const model::GgufValue* value = file.metadata.Find(key);
  if (value == nullptr) return absl::DataLossError("is missing");
  ASSIGN_OR_RETURN(const Json got, model::GgufJson(*value));
  if (!want.is_object()) return Same(want, got);
  if (!got.is_array()) return Differs(want, got);
  return JudgeLongList(JsonRow(want.as_object()), got.as_array());
}

absl::Status JudgeTensor(const Json& value, const model::GgufTensor& got) {
  if (!value.is_object()) return absl::InvalidArgumentError("a tensor is no object");
  const JsonRow want(value.as_object());
  ASSIGN_OR_RETURN(const std::string name, want.Text("name"));
  ASSIGN_OR_RETURN(const std::string type, want.Text("type"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, want.Ints("shape_in_file_order"));
  ASSIGN_OR_RETURN(const int64_t bytes, want.Int("bytes"));
  ASSIGN_OR_RETURN(const int64_t offset, want.Int("offset"));
  RETURN_IF_ERROR(Same(ToBoost(name), ToBoost(got.name)));
  RETURN_IF_ERROR(Same(ToBoost(type), ToBoost(got.type)));
  if (shape != std::vector<int64_t>(got.shape.rbegin(), got.shape.rend())) {
    return absl::DataLossError(absl::StrCat("want ", backend::ShapeText(shape), " reversed, got ",
                                            backend::ShapeText(got.shape)));
  }
  RETURN_IF_ERROR(Same(bytes, static_cast<int64_t>(got.bytes.size())));
  return Same(offset, static_cast<int64_t>(got.offset));
}

void JudgeTable(const Json& tensors, const model::GgufContent& file, Report* report) {
  if (!tensors.is_array() || tensors.as_array().size() != file.tensors.size()) {
    return report->Fail("smollm2 tensors", "there are not as many as expected");
  }
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    report->Judge(absl::StrCat("smollm2 tensor ", file.tensors[i].name),
                  JudgeTensor(tensors.as_array()[i], file.tensors[i]));
  }
}

absl::Status JudgeRow(const JsonRow& want, const model::GgufContent& file) {
  ASSIGN_OR_RETURN(const std::string name, want.Text("tensor"));
  ASSIGN_OR_RETURN(const int64_t row, want.Int("row"));
  ASSIGN_OR_RETURN(const std::vector<double> values, want.Numbers("first_64"));
  for (const model::GgufTensor& tensor : file.tensors) {
    if (tensor.name != name) continue;
    ASSIGN_OR_RETURN(const backend::TensorView view,
                     model::AsFloats({tensor.name, tensor.type, tensor.shape, tensor.bytes, 0}));
    const std::vector<float> all = backend::ToFloats(view);
    const size_t first = static_cast<size_t>(row * tensor.shape.back());
    if (row < 0 || values.empty() || first + values.size() > all.size()) {
      return absl::InvalidArgumentError("the row is outside of the tensor");
    }
    for (size_t i = 0; i < values.size(); ++i) {
      RETURN_IF_ERROR(Same(values[i], static_cast<double>(all[first + i])));
    }
    return absl::OkStatus();
  }
  return absl::DataLossError("there is no such tensor");
}

absl::Status JudgeHeader(const DataFolder& data, const std::string& path,
                         const model::GgufContent& file, Report* report) {
  ASSIGN_OR_RETURN(const Json json, data.ReadJson("smollm2/gguf.json"));
  if (!json.is_object()) return absl::InvalidArgumentError("gguf.json is no object");
  const JsonRow expected(json.as_object());
  report->Judge("smollm2 file", JudgeIdentity(expected, path));
  ASSIGN_OR_RETURN(const JsonRow metadata, expected.Row("metadata"));
  for (const auto& [key, value] : metadata.object()) {
    report->Judge(absl::StrCat("smollm2 metadata ", ToAbsl(key)),
                  JudgeValue(ToAbsl(key), value, file));
  }
  ASSIGN_OR_RETURN(const Json* tensors, expected.Find("tensors"));
  JudgeTable(*tensors, file, report);
  return absl::OkStatus();
}

absl::Status JudgeValues(const DataFolder& data, const model::GgufContent& file, Report* report) {
  ASSIGN_OR_RETURN(const std::vector<Json> rows, data.ReadJsonLines("smollm2/dequantized.jsonl"));
  int number = 0;
  for (const Json& row : rows) {
    report->Judge(absl::StrCat("smollm2 dequantized ", number++),
                  row.is_object() ? JudgeRow(JsonRow(row.as_object()), file)
                                  : absl::InvalidArgumentError("is no object"));
  }
  return absl::OkStatus();
}

}  // namespace

void JudgeGgufFile(const DataFolder& data, const std::string& gguf, Report* report) {
  const auto model = model::GgufModel::Open(gguf);
  if (!model.ok()) return report->Fail("smollm2", model.status().message());
  const model::GgufContent& file = (*model)->content();
  if (absl::Status status = JudgeHeader(data, gguf, file, report); !status.ok()) {
    report->Fail("smollm2 gguf.json", status.message());
  }
  if (absl::Status status = JudgeValues(data, file, report); !status.ok()) {
    report->Fail("smollm2 dequantized.jsonl", status.message());
  }
}

}  // namespace switchboard::golden
