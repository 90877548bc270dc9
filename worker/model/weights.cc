#include "worker/model/weights.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace switchboard::model {
namespace {

constexpr size_t kListedNames = 10;

// "missing: a, b and 3 more; ", or nothing for an empty list.
std::string Listed(absl::string_view title, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const size_t shown = std::min(names.size(), kListedNames);
  std::string text = absl::StrCat(
      title, ": ", absl::StrJoin(names.begin(), names.begin() + static_cast<long>(shown), ", "));
  if (shown < names.size()) absl::StrAppend(&text, " and ", names.size() - shown, " more");
  return absl::StrCat(text, "; ");
}

}  // namespace

std::string CanonicalName(absl::string_view name) {
  if (absl::EndsWith(name, ".rotary_emb.inv_freq") || absl::EndsWith(name, ".position_ids")) {
    return "";
  }
  absl::ConsumePrefix(&name, "model.");
  if (absl::ConsumePrefix(&name, "language_model.model.")) {
    return absl::StrCat("language_model.", name);
  }
  if (absl::StartsWith(name, "language_model.lm_head.")) {
    absl::ConsumePrefix(&name, "language_model.");
  }
  if (absl::ConsumePrefix(&name, "vision_tower.")) return absl::StrCat("visual.", name);
  for (const absl::string_view bare : {"layers.", "embed_tokens.", "norm."}) {
    if (absl::StartsWith(name, bare)) return absl::StrCat("language_model.", name);
  }
  return std::string(name);
}

absl::StatusOr<StoragePolicy> ParseStorage(absl::string_view dtype, const Checkpoint& checkpoint) {
  if (dtype == "auto") return StoragePolicy{};
  if (dtype == "float32") return StoragePolicy{false, backend::DType::kF32};
  if (dtype == "bfloat16") return StoragePolicy{false, backend::DType::kBf16};
  if (dtype != "float16") {
    return absl::InvalidArgumentError(
        absl::StrCat("--dtype is '", absl::CHexEscape(dtype.substr(0, 40)),
                     "'; auto, float32, bfloat16 and float16 are known"));
  }
  for (const StoredTensor* tensor : checkpoint.tensors()) {
    if (tensor->dtype != "F16" && tensor->shape.size() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--dtype float16: the checkpoint is stored as ", tensor->dtype,
                       " and would overflow; use --dtype auto or bfloat16"));
    }
  }
  return StoragePolicy{};
}

WeightReader::WeightReader(const Checkpoint& checkpoint, StoragePolicy storage)
    : WeightReader(checkpoint, storage, nullptr, nullptr) {}

WeightReader::WeightReader(const Checkpoint& checkpoint, StoragePolicy storage,
                           backend::Backend* backend, ProgressFn progress)
    : storage_(storage), backend_(backend), progress_(std::move(progress)) {
  for (const StoredTensor* tensor : checkpoint.tensors()) {
    std::string name = CanonicalName(tensor->name);
    if (name.empty()) continue;
    total_bytes_ += static_cast<int64_t>(tensor->bytes.size());
    if (!tensors_.emplace(name, Entry{tensor}).second) {
      doubled_.push_back(absl::CHexEscape(tensor->name));
    }
  }
}

bool WeightReader::Equal(absl::string_view a, absl::string_view b) const {
  const StoredTensor& first = *tensors_.at(std::string(a)).stored;
  const StoredTensor& second = *tensors_.at(std::string(b)).stored;
  return first.dtype == second.dtype && first.shape == second.shape && first.bytes == second.bytes;
}

const StoredTensor* WeightReader::Take(const WeightSpec& spec) {
  const auto it = tensors_.find(spec.name);
  if (it == tensors_.end()) {
    missing_.push_back(spec.name);
    return nullptr;
  }
  ++it->second.reads;
  const StoredTensor* tensor = it->second.stored;
  if (tensor->shape == spec.shape) return tensor;
  wrong_.push_back(absl::StrCat(spec.name, " ", backend::ShapeText(tensor->shape), " instead of ",
                                backend::ShapeText(spec.shape)));
  return nullptr;
}

absl::StatusOr<backend::TensorView> WeightReader::View(const WeightSpec& spec) {
  const StoredTensor* tensor = Take(spec);
  // The lists have the reason already; Finish reports them before this.
  if (tensor == nullptr) return absl::NotFoundError(spec.name);
  return AsFloats(*tensor);
}

backend::DType WeightReader::StorageOf(backend::DType stored) const {
  return storage_.keep ? stored : storage_.dtype;
}

std::unique_ptr<backend::Matrix> WeightReader::Pack(const std::vector<backend::TensorView>& views) {
  backend::DType dtype = StorageOf(views[0].dtype);
  int64_t elements = 0, stored_bytes = 0;
  for (const backend::TensorView& view : views) {
    // Blocks of different formats are kept in the one that holds them all.
    if (StorageOf(view.dtype) != dtype) dtype = backend::DType::kF32;
    elements += view.elements();
    stored_bytes += view.stored_bytes();
  }
  bytes_ += elements * backend::BytesOf(dtype);
  if (backend_ == nullptr) return nullptr;
  absl::StatusOr<std::unique_ptr<backend::Matrix>> matrix = backend_->NewMatrix(views, dtype);
  Advance(stored_bytes);
  if (matrix.ok()) return *std::move(matrix);
  Note(matrix.status());
  return nullptr;
}

std::unique_ptr<backend::Matrix> WeightReader::ReadMatrix(const std::vector<WeightSpec>& blocks) {
  std::vector<backend::TensorView> views;
  for (const WeightSpec& spec : blocks) {
    absl::StatusOr<backend::TensorView> view = View(spec);
    if (view.ok()) {
      views.push_back(*std::move(view));
    } else {
      Note(view.status());
    }
  }
  return views.size() == blocks.size() ? Pack(views) : nullptr;
}

std::unique_ptr<backend::Matrix> WeightReader::ReadPermuted(
    const WeightSpec& spec, absl::FunctionRef<int64_t(int64_t)> source) {
  absl::StatusOr<backend::TensorView> view = View(spec);
  if (!view.ok()) {
    Note(view.status());
    return nullptr;
  }
  if (view->blocks != nullptr) {
    Note(BadTensor(spec.name, "quantised weights are not supported here"));
    return nullptr;
  }
  const size_t size = static_cast<size_t>(backend::BytesOf(view->dtype));
  const int64_t columns = view->columns();
  std::string permuted(static_cast<size_t>(view->elements()) * size, '\0');
  for (int64_t i = 0; backend_ != nullptr && i < view->elements(); ++i) {
    const int64_t from = i / columns * columns + source(i % columns);
    std::memcpy(&permuted[static_cast<size_t>(i) * size],
                view->bytes + static_cast<size_t>(from) * size, size);
  }
  return Pack({{view->dtype, view->shape, permuted.data()}});
}

std::vector<float> WeightReader::ReadVector(const std::vector<WeightSpec>& parts) {
  std::vector<float> values;
  for (const WeightSpec& spec : parts) {
    absl::StatusOr<backend::TensorView> view = View(spec);
    if (!view.ok()) {
      Note(view.status());
      continue;
    }
    bytes_ += view->elements() * static_cast<int64_t>(sizeof(float));
    if (backend_ == nullptr) continue;
    const std::vector<float> part = backend::ToFloats(*view);
    values.insert(values.end(), part.begin(), part.end());
    Advance(view->stored_bytes());
  }
  return values;
}

void WeightReader::Drop(const WeightSpec& spec) { Take(spec); }

void WeightReader::Advance(int64_t bytes) {
  read_bytes_ += bytes;
  if (!progress_) return;
  progress_(static_cast<double>(read_bytes_) / static_cast<double>(total_bytes_), read_bytes_);
}

void WeightReader::Note(absl::Status status) {
  if (first_error_.ok()) first_error_ = std::move(status);
}

absl::Status WeightReader::Finish() const {
  std::vector<std::string> unexpected;
  std::vector<std::string> repeated;
  for (const auto& [name, entry] : tensors_) {
    if (entry.reads == 0) unexpected.push_back(absl::CHexEscape(entry.stored->name));
    if (entry.reads > 1) repeated.push_back(name);
  }
  const std::string faults = absl::StrCat(
      Listed("missing", missing_), Listed("unexpected", unexpected), Listed("wrong shape", wrong_),
      Listed("present under two names", doubled_), Listed("used twice", repeated));
  if (!faults.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the checkpoint does not fit its config.json: ",
                                                   absl::StripSuffix(faults, "; ")));
  }
  return first_error_;
}

std::string WeightReader::Report() const {
  int64_t parameters = 0;
  for (const auto& [name, entry] : tensors_) {
    int64_t elements = 1;
    for (const int64_t size : entry.stored->shape) elements *= size;
    parameters += elements;
  }
  return absl::StrCat(tensors_.size(), " tensors, ", parameters,
                      " parameters, each filled exactly once");
}

}  // namespace switchboard::model
