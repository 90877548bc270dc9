// The families of text models: each in a file of its own name (llama.cc, ...), which says what is
// special about it.
#ifndef SWITCHBOARD_WORKER_MODEL_TEXT_FAMILIES_H_
#define SWITCHBOARD_WORKER_MODEL_TEXT_FAMILIES_H_

#include "absl/status/statusor.h"
#include "base/json.h"
#include "worker/model/config.h"
#include "worker/model/decoder_weights.h"

namespace switchboard::model {

struct TextFamily {
  const char* class_name;  // in `architectures` of a config.json
  // InvalidArgument names the key.
  absl::StatusOr<TextConfig> (*parse)(const JsonObject& config);
  ReadLayerFn read_layer;
};

extern const TextFamily kLlama, kMistral, kQwen2, kQwen3, kGlm, kGlm4;

// A layer of Llama, which most families take over: RMS norms before attention and MLP, biases where
// the config says so.
DecoderLayer ReadPreNormLayer(const TextConfig& config, const LayerReader& reader);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_TEXT_FAMILIES_H_
