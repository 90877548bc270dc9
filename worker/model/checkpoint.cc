#include "worker/model/checkpoint.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "worker/model/gguf.h"
#include "worker/model/gguf_config.h"
#include "worker/model/gguf_tensors.h"
#include "worker/model/safetensors.h"

namespace switchboard::model {
namespace {

constexpr size_t kMaxIndexBytes = size_t{64} << 20;
constexpr uint64_t kHashedWhole = uint64_t{256} << 20;
constexpr size_t kSampleStride = 1 << 20, kSampleBytes = 4096;

// What a Checkpoint holds.
struct Files {
  std::vector<std::unique_ptr<MappedFile>> mapped;
  std::vector<StoredTensor> tensors;
};

// Tensor name to file name, both as the index has them.
using WeightMap = std::map<std::string, std::string>;

bool IsFileInFolder(absl::string_view name) {
  return absl::EndsWith(name, ".safetensors") && name[0] != '.' &&
         name.find_first_of(absl::string_view("/\\\0", 3)) == absl::string_view::npos;
}

absl::StatusOr<WeightMap> ReadIndex(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxIndexBytes));
  absl::StatusOr<Json> index = ParseJson(text);
  if (!index.ok()) return Annotate(index.status(), path);
  const Json* map = index->is_object() ? FindMember(index->as_object(), "weight_map") : nullptr;
  if (map == nullptr || !map->is_object() || map->as_object().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": weight_map is not a filled object"));
  }
  WeightMap files;
  for (const auto& [tensor, file] : map->as_object()) {
    const absl::string_view name = file.is_string() ? ToAbsl(file.as_string()) : "";
    if (!IsFileInFolder(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": weight_map names '", absl::CHexEscape(name.substr(0, 200)),
                       "', which is not a .safetensors file in the same folder"));
    }
    files.emplace(std::string(ToAbsl(tensor)), std::string(name));
  }
  return files;
}

// Maps a safetensors file and adds it to `files`; its tensors are those from the returned index on.
absl::StatusOr<size_t> AddSafetensors(const std::string& path, Files* files) {
  ASSIGN_OR_RETURN(std::unique_ptr<MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<std::vector<StoredTensor>> tensors = ParseSafetensors(file->bytes());
  if (!tensors.ok()) return Annotate(tensors.status(), path);
  const size_t first = files->tensors.size();
  for (StoredTensor& tensor : *tensors) files->tensors.push_back(std::move(tensor));
  files->mapped.push_back(std::move(file));
  return first;
}

// Every tensor is where the index says, and nowhere else.
absl::Status CheckShard(const std::string& path, absl::string_view file_name,
                        absl::Span<const StoredTensor> tensors, const WeightMap& index) {
  for (const StoredTensor& tensor : tensors) {
    const auto it = index.find(tensor.name);
    if (it == index.end() || it->second != file_name) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": holds tensor '",
                                                     absl::CHexEscape(tensor.name),
                                                     "', which the index does not place there"));
    }
  }
  return absl::OkStatus();
}

absl::Status AddShards(const std::string& dir, const std::string& index_path, Files* files) {
  ASSIGN_OR_RETURN(const WeightMap index, ReadIndex(index_path));
  std::set<std::string> names;
  for (const auto& [tensor, file] : index) names.insert(file);
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(dir, "/", name);
    ASSIGN_OR_RETURN(const size_t first, AddSafetensors(path, files));
    RETURN_IF_ERROR(
        CheckShard(path, name, absl::MakeConstSpan(files->tensors).subspan(first), index));
  }
  if (files->tensors.size() != index.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        index_path, ": lists ", index.size(), " tensors, the shards hold ", files->tensors.size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Files> OpenFolder(const std::string& dir) {
  Files files;
  const absl::StatusOr<size_t> single =
      AddSafetensors(absl::StrCat(dir, "/model.safetensors"), &files);
  if (single.ok()) return files;
  if (!absl::IsNotFound(single.status())) return single.status();
  const absl::Status shards =
      AddShards(dir, absl::StrCat(dir, "/model.safetensors.index.json"), &files);
  if (absl::IsNotFound(shards) && absl::StrContains(shards.message(), "index.json")) {
    return absl::NotFoundError(
        absl::StrCat(dir, " has neither model.safetensors nor model.safetensors.index.json"));
  }
  RETURN_IF_ERROR(shards);
  return files;
}

absl::StatusOr<Files> OpenGguf(const std::string& path) {
  Files files;
  ASSIGN_OR_RETURN(std::unique_ptr<GgufModel> gguf, GgufModel::Open(path));
  absl::StatusOr<std::vector<StoredTensor>> tensors = HuggingFaceTensors(gguf->content());
  if (!tensors.ok()) return Annotate(tensors.status(), path);
  files.tensors = *std::move(tensors);
  files.mapped = std::move(*gguf).TakeFiles();
  return files;
}

void HashTensor(const StoredTensor& tensor, bool whole, Sha256* hash) {
  hash->Update(
      absl::StrCat(tensor.name, "\n", tensor.dtype, "\n", backend::ShapeText(tensor.shape), "\n"));
  if (whole) return hash->Update(tensor.bytes);
  for (size_t i = 0; i < tensor.bytes.size(); i += kSampleStride) {
    hash->Update(tensor.bytes.substr(i, kSampleBytes));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Checkpoint>> Checkpoint::Open(const std::string& path) {
  ASSIGN_OR_RETURN(Files files, IsGgufPath(path) ? OpenGguf(path) : OpenFolder(path));
  return std::unique_ptr<Checkpoint>(
      new Checkpoint(std::move(files.mapped), std::move(files.tensors)));
}

Checkpoint::Checkpoint(std::vector<std::unique_ptr<MappedFile>> files,
                       std::vector<StoredTensor> stored)
    : files_(std::move(files)), stored_(std::move(stored)) {
  for (const StoredTensor& tensor : stored_) tensors_.push_back(&tensor);
  std::sort(tensors_.begin(), tensors_.end(),
            [](const StoredTensor* a, const StoredTensor* b) { return a->name < b->name; });
}

std::string Checkpoint::Fingerprint() const {
  uint64_t bytes = 0;
  for (const StoredTensor* tensor : tensors_) bytes += tensor->bytes.size();
  Sha256 hash;
  for (const StoredTensor* tensor : tensors_) HashTensor(*tensor, bytes <= kHashedWhole, &hash);
  return hash.Finish();
}

}  // namespace switchboard::model
