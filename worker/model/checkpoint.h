// A model's tensors, wherever they are: a folder with one safetensors file or with shards named by
// an index, or a GGUF file.
#ifndef SWITCHBOARD_WORKER_MODEL_CHECKPOINT_H_
#define SWITCHBOARD_WORKER_MODEL_CHECKPOINT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::model {

// Holds the files mapped. Immutable, so thread-safe.
class Checkpoint {
 public:
  // `path` ends with ".gguf": that file, or all files of the split that it belongs to; the tensors
  // have the names and the shapes of the Hugging Face checkpoint (see gguf_tensors.h).
  // Else a folder: DIR/model.safetensors, or the shards of DIR/model.safetensors.index.json.
  // NotFound when there is nothing; InvalidArgument for a broken file, an index that names files
  // outside of the folder, and an index and shards that do not list the same tensors.
  static absl::StatusOr<std::unique_ptr<Checkpoint>> Open(const std::string& path);

  // Sorted by name. No name twice.
  const std::vector<const StoredTensor*>& tensors() const { return tensors_; }

  // SHA-256 (32 bytes) over name, dtype, shape and content of every tensor in order of name. Above
  // 256 MiB of content only the first 4 KiB of each MiB of a tensor are read: enough to tell
  // checkpoints apart, not proof against forgery.
  std::string Fingerprint() const;

 private:
  Checkpoint(std::vector<std::unique_ptr<MappedFile>> files, std::vector<StoredTensor> stored);

  const std::vector<std::unique_ptr<MappedFile>> files_;
  const std::vector<StoredTensor> stored_;
  std::vector<const StoredTensor*> tensors_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_CHECKPOINT_H_
