#include "worker/model_path.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"

namespace switchboard::worker {
namespace {

namespace fs = std::filesystem;

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

ModelPath FromPath(const std::string& model) {
  std::error_code error;
  fs::path path = fs::absolute(model, error).lexically_normal();
  if (!error && !path.has_filename()) path = path.parent_path();
  std::string name = error ? "" : path.filename().string();
  if (absl::EndsWithIgnoreCase(name, ".gguf")) name.resize(name.size() - 5);
  ModelPath found = {.path = model, .names = {}};
  if (!name.empty()) found.names.push_back(std::move(name));
  return found;
}

// The folders that may hold a cache, most specific first.
std::vector<fs::path> CacheFolders(EnvironmentFn environment) {
  std::vector<fs::path> folders;
  const auto add = [&](const char* variable, absl::string_view below) {
    const char* value = environment(variable);
    if (value != nullptr && *value != '\0') {
      folders.push_back(fs::path(value) / std::string(below));
    }
  };
  add("HF_HUB_CACHE", "");
  add("HF_HOME", "hub");
  add("TRANSFORMERS_CACHE", "");
  add("XDG_CACHE_HOME", "huggingface/hub");
  add("HOME", ".cache/huggingface/hub");
  return folders;
}

// The snapshot of a model's cache folder that is in use.
absl::StatusOr<std::string> Snapshot(const fs::path& folder) {
  constexpr size_t kMaxRevisionBytes = 256;
  const absl::StatusOr<std::string> main =
      ReadFile((folder / "refs/main").string(), kMaxRevisionBytes);
  if (main.ok()) {
    const std::string revision(absl::StripAsciiWhitespace(*main));
    const fs::path named = folder / "snapshots" / revision;
    if (!revision.empty() && !absl::StrContains(revision, '/') && revision != ".." &&
        Exists(named)) {
      return named.string();
    }
  }
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder / "snapshots", error), end; !error && entry != end;
       entry.increment(error)) {
    found.push_back(entry->path().string());
  }
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat(folder.string(), " holds no snapshot of the model"));
  }
  return absl::InvalidArgumentError(absl::StrCat(folder.string(),
                                                 " holds several snapshots and refs/main names "
                                                 "none of them; give one as --model: ",
                                                 absl::StrJoin(found, ", ")));
}

bool IsHubName(absl::string_view model) {
  const std::vector<absl::string_view> parts = absl::StrSplit(model, '/');
  return parts.size() == 2 && !parts[0].empty() && !parts[1].empty() && parts[0][0] != '.' &&
         parts[1][0] != '.';
}

}  // namespace

absl::StatusOr<ModelPath> FindModel(const std::string& model, EnvironmentFn environment) {
  if (Exists(model)) return FromPath(model);
  if (!IsHubName(model)) {
    return absl::NotFoundError(
        absl::StrCat("--model=", model, ": there is no such folder or file"));
  }
  const std::pair<std::string, std::string> name = absl::StrSplit(model, '/');
  const std::string folder = absl::StrCat("models--", name.first, "--", name.second);
  std::vector<std::string> looked_at = {model};
  for (const fs::path& cache : CacheFolders(environment)) {
    looked_at.push_back((cache / folder).string());
    if (!Exists(cache / folder)) continue;
    absl::StatusOr<std::string> snapshot = Snapshot(cache / folder);
    if (!snapshot.ok()) return Annotate(snapshot.status(), absl::StrCat("--model=", model));
    return ModelPath{.path = *std::move(snapshot), .names = {model, name.second}};
  }
  return absl::NotFoundError(
      absl::StrCat("--model=", model,
                   ": there is no such folder, nor a downloaded model of this name; looked at ",
                   absl::StrJoin(looked_at, ", ")));
}

}  // namespace switchboard::worker
