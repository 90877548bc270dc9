#include "tools/golden/data_folder.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"

namespace switchboard::golden {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 30;

std::vector<std::string> Roots(std::string data, std::string base) {
  std::vector<std::string> roots = {std::move(data)};
  if (!base.empty()) roots.push_back(std::move(base));
  return roots;
}

}  // namespace

DataFolder::DataFolder(std::string data, std::string base)
    : roots_(Roots(std::move(data), std::move(base))) {}

absl::StatusOr<std::string> DataFolder::Find(absl::string_view relative) const {
  for (const std::string& root : roots_) {
    std::string path = absl::StrCat(root, "/", relative);
    std::error_code ignored;  // "cannot look" and "is not there" are the same answer here
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return absl::NotFoundError(absl::StrCat(relative, " is in none of the data folders"));
}

std::vector<std::string> DataFolder::Folders(absl::string_view relative) const {
  std::set<std::string> names;
  for (const std::string& root : roots_) {
    std::error_code error;  // an absent folder has no entries
    std::filesystem::directory_iterator entry(absl::StrCat(root, "/", relative), error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      std::error_code ignored;  // what cannot be looked at is no folder
      if (entry->is_directory(ignored)) names.insert(entry->path().filename().string());
    }
  }
  return {names.begin(), names.end()};
}

absl::StatusOr<std::string> DataFolder::Read(absl::string_view relative) const {
  ASSIGN_OR_RETURN(const std::string path, Find(relative));
  return ReadFile(path, kMaxFileBytes);
}

absl::StatusOr<Json> DataFolder::ReadJson(absl::string_view relative) const {
  ASSIGN_OR_RETURN(const std::string text, Read(relative));
  absl::StatusOr<Json> value = ParseJson(text);
  if (!value.ok()) return Annotate(value.status(), relative);
  return value;
}

absl::StatusOr<std::vector<Json>> DataFolder::ReadJsonLines(absl::string_view relative) const {
  ASSIGN_OR_RETURN(const std::string text, Read(relative));
  std::vector<Json> rows;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    absl::StatusOr<Json> row = ParseJson(line);
    if (!row.ok()) return Annotate(row.status(), absl::StrCat(relative, " row ", rows.size() + 1));
    if (!row->is_object()) {
      return absl::InvalidArgumentError(absl::StrCat(relative, ": a row is no object"));
    }
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace switchboard::golden
