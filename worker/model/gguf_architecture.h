// The architectures of GGUF files that are known here, and how their files differ.
#ifndef SWITCHBOARD_WORKER_MODEL_GGUF_ARCHITECTURE_H_
#define SWITCHBOARD_WORKER_MODEL_GGUF_ARCHITECTURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "worker/model/gguf_metadata.h"

namespace switchboard::model {

struct GgufArchitecture {
  absl::string_view name;        // general.architecture; begins the keys of the sizes
  absl::string_view class_name;  // of the Hugging Face checkpoint
  bool interleaved_qk = false;   // rows of q and k are stored interleaved, head by head
  bool fused_gate_up = false;    // ffn_up holds gate and up, gate first

  std::string Key(absl::string_view rest) const { return absl::StrCat(name, ".", rest); }
};

// Unimplemented, listing those that are known, for any other; InvalidArgument without one.
absl::StatusOr<GgufArchitecture> GgufArchitectureOf(const GgufMetadata& metadata);

// Query and KV heads, the same in all layers. InvalidArgument unless they are from 1 to 4096.
struct GgufHeads {
  int64_t query = 0, kv = 0;
};
absl::StatusOr<GgufHeads> GgufHeadsOf(const GgufArchitecture& architecture,
                                      const GgufMetadata& metadata);

// The whole number of a key that must be there, from 1 to `most`.
absl::StatusOr<int64_t> GgufSize(const GgufMetadata& metadata, const std::string& key,
                                 int64_t most);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GGUF_ARCHITECTURE_H_
