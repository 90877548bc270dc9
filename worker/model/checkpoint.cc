#include "worker/model/checkpoint.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace switchboard::model {
namespace {

constexpr size_t kMaxIndexBytes = size_t{64} << 20;
constexpr uint64_t kHashedWhole = uint64_t{256} << 20;
constexpr size_t kSampleStride = 1 << 20, kSampleBytes = 4096;

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

// Every tensor is where the index says, and nowhere else.
absl::Status CheckShard(const std::string& path, absl::string_view file_name,
                        const SafetensorsFile& file, const WeightMap& index, size_t* found) {
  for (const StoredTensor& tensor : file.tensors()) {
    const auto it = index.find(tensor.name);
    if (it == index.end() || it->second != file_name) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": holds tensor '",
                                                     absl::CHexEscape(tensor.name),
                                                     "', which the index does not place there"));
    }
    ++*found;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::unique_ptr<SafetensorsFile>>> OpenShards(
    const std::string& dir, const std::string& index_path) {
  ASSIGN_OR_RETURN(const WeightMap index, ReadIndex(index_path));
  std::set<std::string> names;
  for (const auto& [tensor, file] : index) names.insert(file);
  std::vector<std::unique_ptr<SafetensorsFile>> files;
  size_t found = 0;
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(dir, "/", name);
    ASSIGN_OR_RETURN(std::unique_ptr<SafetensorsFile> file, SafetensorsFile::Open(path));
    RETURN_IF_ERROR(CheckShard(path, name, *file, index, &found));
    files.push_back(std::move(file));
  }
  if (found != index.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(index_path, ": lists ", index.size(), " tensors, the shards hold ", found));
  }
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

absl::StatusOr<std::unique_ptr<Checkpoint>> Checkpoint::Open(const std::string& dir) {
  std::vector<std::unique_ptr<SafetensorsFile>> files;
  absl::StatusOr<std::unique_ptr<SafetensorsFile>> single =
      SafetensorsFile::Open(absl::StrCat(dir, "/model.safetensors"));
  if (single.ok()) {
    files.push_back(*std::move(single));
  } else if (!absl::IsNotFound(single.status())) {
    return single.status();
  } else {
    auto shards = OpenShards(dir, absl::StrCat(dir, "/model.safetensors.index.json"));
    if (absl::IsNotFound(shards.status()) &&
        absl::StrContains(shards.status().message(), "index.json")) {
      return absl::NotFoundError(
          absl::StrCat(dir, " has neither model.safetensors nor model.safetensors.index.json"));
    }
    if (!shards.ok()) return shards.status();
    files = *std::move(shards);
  }
  return std::unique_ptr<Checkpoint>(new Checkpoint(std::move(files)));
}

Checkpoint::Checkpoint(std::vector<std::unique_ptr<SafetensorsFile>> files)
    : files_(std::move(files)) {
  for (const auto& file : files_) {
    for (const StoredTensor& tensor : file->tensors()) tensors_.push_back(&tensor);
  }
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
