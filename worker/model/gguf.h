// Reads GGUF files, version 3, little-endian: a header, key-value metadata, a table of tensors,
// aligned data. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, with every claim of the
// header checked before it is used.
#ifndef SWITCHBOARD_WORKER_MODEL_GGUF_H_
#define SWITCHBOARD_WORKER_MODEL_GGUF_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "worker/model/gguf_metadata.h"

namespace switchboard::model {

struct GgufTensor {
  std::string name;
  std::string type;            // "F32", "Q4_1", ...; "type 77" for one that nobody knows here
  std::vector<int64_t> shape;  // outermost first: the reverse of the file's order
  uint64_t offset = 0;         // of its data, in bytes from the beginning of the file
  absl::string_view bytes;     // borrowed from the file; empty for an unknown type
};

// One file's content, borrowed from its bytes.
struct GgufContent {
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  // in order of the file
};

// InvalidArgument, naming key or tensor, unless: magic, version and byte order are right; counts,
// strings and arrays are within the file; keys and names are filled and unique; there are no arrays
// of arrays; general.alignment is a power of two from 8 to 64 Ki; each tensor has 1 to 4 dimensions
// of at least 1, whole blocks, and an aligned place within the file that overlaps no other. Types
// that cannot be computed with are no error here. Allocates nothing by a number in the file that
// the file's size does not back.
absl::StatusOr<GgufContent> ParseGguf(absl::string_view content);

// A mapped file, or all files of a split ("NAME-00001-of-00003.gguf"), as one. Immutable.
class GgufModel {
 public:
  // `path` may be any file of a split. The errors of MappedFile::Open and ParseGguf with the path;
  // InvalidArgument for files that are not the parts of one split.
  static absl::StatusOr<std::unique_ptr<GgufModel>> Open(const std::string& path);

  // The metadata of the first file, the tensors of all.
  const GgufContent& content() const { return content_; }
  // The mappings that content() borrows from.
  std::vector<std::unique_ptr<MappedFile>> TakeFiles() && { return std::move(files_); }

 private:
  GgufModel(std::vector<std::unique_ptr<MappedFile>> files, GgufContent content)
      : files_(std::move(files)), content_(std::move(content)) {}

  std::vector<std::unique_ptr<MappedFile>> files_;
  GgufContent content_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GGUF_H_
