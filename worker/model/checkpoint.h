// A model folder's tensors: one safetensors file, or shards named by an index.
#ifndef SWITCHBOARD_WORKER_MODEL_CHECKPOINT_H_
#define SWITCHBOARD_WORKER_MODEL_CHECKPOINT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/model/safetensors.h"

namespace switchboard::model {

// Holds the files mapped. Immutable, so thread-safe.
class Checkpoint {
 public:
  // Opens DIR/model.safetensors, else the shards of DIR/model.safetensors.index.json. NotFound when
  // there is neither; InvalidArgument for a broken file, an index that names files outside of the
  // folder, and an index and shards that do not list the same tensors.
  static absl::StatusOr<std::unique_ptr<Checkpoint>> Open(const std::string& dir);

  // Sorted by name, each name once.
  const std::vector<const StoredTensor*>& tensors() const { return tensors_; }

  // SHA-256 (32 bytes) over name, dtype, shape and content of every tensor in order of name. Above
  // 256 MiB of content only the first 4 KiB of each MiB of a tensor are read: enough to tell
  // checkpoints apart, not proof against forgery.
  std::string Fingerprint() const;

 private:
  explicit Checkpoint(std::vector<std::unique_ptr<SafetensorsFile>> files);

  const std::vector<std::unique_ptr<SafetensorsFile>> files_;
  std::vector<const StoredTensor*> tensors_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_CHECKPOINT_H_
