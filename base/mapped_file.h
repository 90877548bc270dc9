// Files read as a whole: mapped (large, read-only) or copied (small).
#ifndef SWITCHBOARD_BASE_MAPPED_FILE_H_
#define SWITCHBOARD_BASE_MAPPED_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard {

// A file mapped read-only. The bytes stay valid as long as the object; whoever truncates the file
// meanwhile kills the process (SIGBUS), as with every mmap. Immutable, so thread-safe.
class MappedFile {
 public:
  // NotFound, PermissionDenied or FailedPrecondition (not a regular file), with the path.
  static absl::StatusOr<std::unique_ptr<MappedFile>> Open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  absl::string_view bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  MappedFile(std::string path, const char* data, size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}

  const std::string path_;
  const char* const data_;
  const size_t size_;
};

// The content of a file of at most `max_bytes` (OutOfRange when larger).
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_MAPPED_FILE_H_
