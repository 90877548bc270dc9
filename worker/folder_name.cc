#include "worker/folder_name.h"

#include <filesystem>
#include <system_error>

namespace switchboard::worker {

std::string FolderName(const std::string& path) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(path, error).lexically_normal();
  if (error) return "";
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder.filename().string();
}

}  // namespace switchboard::worker
