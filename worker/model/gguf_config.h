// The metadata of a GGUF file as the config.json that the same model has as a Hugging Face
// checkpoint, so that model families read one form.
#ifndef SWITCHBOARD_WORKER_MODEL_GGUF_CONFIG_H_
#define SWITCHBOARD_WORKER_MODEL_GGUF_CONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "worker/model/gguf.h"

namespace switchboard::model {

// PATH ends with ".gguf".
bool IsGgufPath(absl::string_view path);

// general.architecture gives `architectures`:
//   llama LlamaForCausalLM, qwen2 Qwen2ForCausalLM, qwen3 Qwen3ForCausalLM, glm4 Glm4ForCausalLM,
//   chatglm GlmForCausalLM; Unimplemented, listing these, for any other.
// Sizes, eps and rope_theta come from the keys ARCH.*, vocab_size from the embedding's rows,
// head_dim is always given. tie_word_embeddings is true when there is no output.weight;
// attention_bias when there is blk.0.attn_q.bias or blk.0.attn_qkv.bias; partial_rotary_factor is
// given when fewer dimensions than head_dim turn.
// rope_scaling, when there is any:
//   {"rope_type": "linear", "factor": F}
//   {"rope_type": "divisors", "divisors": [D0, D1, ...]}  of a file with rope_freqs.weight (that is
//     how "llama3" scaling is stored): one number per rotary pair, frequency i is
//     theta^(-2i/d) / Di; the rotation's length stays 1.
// InvalidArgument names a key that is missing, of the wrong type or out of range.
absl::StatusOr<JsonObject> GgufConfig(const GgufContent& content);

// The same from a file.
absl::StatusOr<JsonObject> ReadGgufConfig(const std::string& path);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GGUF_CONFIG_H_
