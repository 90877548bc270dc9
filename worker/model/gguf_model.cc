#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "worker/model/gguf.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::model {
namespace {

constexpr int64_t kMaxParts = 1000;

struct Part {
  std::unique_ptr<MappedFile> file;
  GgufContent content;
};

absl::StatusOr<Part> OpenPart(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<GgufContent> content = ParseGguf(file->bytes());
  if (!content.ok()) return Annotate(content.status(), path);
  return Part{std::move(file), *std::move(content)};
}

absl::Status Bad(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
}

std::string PartPath(absl::string_view prefix, int64_t number, int64_t count) {
  return absl::StrFormat("%s-%05d-of-%05d.gguf", prefix, number, count);
}

// What the paths of a split of `count` files begin with.
absl::StatusOr<std::string> PrefixOf(const std::string& path, int64_t number, int64_t count) {
  absl::string_view prefix = path;
  if (number >= 0 && number < count &&
      absl::ConsumeSuffix(&prefix, PartPath("", number + 1, count))) {
    return std::string(prefix);
  }
  return Bad(path,
             absl::StrCat("is file ", number + 1, " of a split of ", count,
                          ", but its name does not end with ", PartPath("", number + 1, count)));
}

// Reads a key of the split; a missing one is `absent`.
absl::StatusOr<int64_t> SplitKey(const Part& part, absl::string_view key, int64_t absent) {
  absl::StatusOr<std::optional<int64_t>> value = part.content.metadata.Int(key);
  if (!value.ok()) return Annotate(value.status(), part.file->path());
  return value->value_or(absent);
}

absl::Status CheckPart(const Part& part, int64_t index, int64_t count) {
  ASSIGN_OR_RETURN(const int64_t number, SplitKey(part, "split.no", -1));
  ASSIGN_OR_RETURN(const int64_t total, SplitKey(part, "split.count", -1));
  if (number == index && total == count) return absl::OkStatus();
  return Bad(part.file->path(), absl::StrCat("split.no ", number, " and split.count ", total,
                                             " do not belong to file ", index + 1, " of ", count));
}

absl::Status CheckTensors(const Part& first, const std::vector<GgufTensor>& tensors) {
  const int64_t have = static_cast<int64_t>(tensors.size());
  ASSIGN_OR_RETURN(const int64_t want, SplitKey(first, "split.tensors.count", have));
  if (have != want) {
    return Bad(first.file->path(), absl::StrCat("the files of the split have ", have,
                                                " tensors, split.tensors.count is ", want));
  }
  std::set<absl::string_view> names;
  for (const GgufTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      return Annotate(BadTensor(tensor.name, "occurs in two files"), first.file->path());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<GgufModel>> GgufModel::Open(const std::string& path) {
  ASSIGN_OR_RETURN(Part opened, OpenPart(path));
  ASSIGN_OR_RETURN(const int64_t count, SplitKey(opened, "split.count", 1));
  std::vector<Part> parts;
  if (count <= 1) {
    parts.push_back(std::move(opened));
  } else {
    if (count > kMaxParts) return Bad(path, absl::StrCat("split.count is ", count));
    ASSIGN_OR_RETURN(const int64_t number, SplitKey(opened, "split.no", -1));
    ASSIGN_OR_RETURN(const std::string prefix, PrefixOf(path, number, count));
    for (int64_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(Part part, OpenPart(PartPath(prefix, i + 1, count)));
      RETURN_IF_ERROR(CheckPart(part, i, count));
      parts.push_back(std::move(part));
    }
  }
  std::vector<GgufTensor> tensors;
  for (Part& part : parts) {
    for (GgufTensor& tensor : part.content.tensors) tensors.push_back(std::move(tensor));
  }
  RETURN_IF_ERROR(CheckTensors(parts[0], tensors));
  GgufContent content = {std::move(parts[0].content.metadata), std::move(tensors)};
  std::vector<std::unique_ptr<MappedFile>> files;
  for (Part& part : parts) files.push_back(std::move(part.file));
  return std::unique_ptr<GgufModel>(new GgufModel(std::move(files), std::move(content)));
}

}  // namespace switchboard::model
