// The files that are judged: a folder, and a second one for whatever the first lacks.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_DATA_FOLDER_H_
#define SWITCHBOARD_TOOLS_GOLDEN_DATA_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace switchboard::golden {

class DataFolder {
 public:
  // `base` may be empty: no second folder.
  DataFolder(std::string data, std::string base);

  // Path of a file or folder that exists under data, else under base; NotFound otherwise.
  absl::StatusOr<std::string> Find(absl::string_view relative) const;
  bool Has(absl::string_view relative) const { return Find(relative).ok(); }
  // Names (not paths) of the folders directly inside `relative`, in either place, sorted, each
  // once.
  std::vector<std::string> Folders(absl::string_view relative) const;
  absl::StatusOr<std::string> Read(absl::string_view relative) const;
  // A whole JSON file; JSON lines as a list of objects.
  absl::StatusOr<Json> ReadJson(absl::string_view relative) const;
  absl::StatusOr<std::vector<Json>> ReadJsonLines(absl::string_view relative) const;

 private:
  const std::vector<std::string> roots_;
};

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_DATA_FOLDER_H_
