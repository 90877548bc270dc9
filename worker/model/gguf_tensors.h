// The tensors of a GGUF file as those of the Hugging Face checkpoint that it was made from.
#ifndef SWITCHBOARD_WORKER_MODEL_GGUF_TENSORS_H_
#define SWITCHBOARD_WORKER_MODEL_GGUF_TENSORS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "worker/model/gguf.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::model {

// Names by the architecture ("blk.3.attn_q.weight" is "model.layers.3.self_attn.q_proj.weight");
// a fused attn_qkv becomes q_proj, k_proj and v_proj; the rows of q and k of "llama" files, which
// are stored interleaved, are marked so. rope_freqs.weight, which belongs to the configuration,
// is left out; a name that is not known stays as it is (and will be reported as unexpected).
// InvalidArgument when head counts and shapes contradict each other, Unimplemented for an
// architecture that is not known.
absl::StatusOr<std::vector<StoredTensor>> HuggingFaceTensors(const GgufContent& content);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GGUF_TENSORS_H_
