// What workers say about their models, as plain structs: ListModels and GetModelCard of
// proto/switchboard/v1/inference.proto, which explains the fields.
#ifndef SWITCHBOARD_GATEWAY_MODELS_MODEL_CARD_H_
#define SWITCHBOARD_GATEWAY_MODELS_MODEL_CARD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gateway/openai/sampling.h"
#include "media/smart_resize.h"

namespace switchboard::gateway {

struct ModelName {
  std::string name;
  std::string root;
  int64_t created = 0;  // Unix seconds
  int64_t max_model_len = 0;
  std::string fingerprint;
  std::string card_version = {};  // changes with every setting of the card
};

// How images become placeholders.
struct ImageInput {
  int32_t token_id = 0;     // the placeholder that is repeated
  std::string placeholder;  // the text for one image, begin and end markers included
  media::PatchGrid grid;
  int max_images = 1;  // per request
};

struct ModelCard {
  std::string fingerprint;
  std::string card_version;
  std::string tokenizer_json;
  std::string chat_template;  // empty: chat is refused
  std::string bos_token, eos_token;
  openai::ModelLimits limits;
  std::optional<ImageInput> image_input;  // none: text only
  bool splits_reasoning = false;          // thoughts go to reasoning_content unless asked otherwise
  bool content_as_parts = false;          // message content reaches the template as a list
};

// Where names and cards come from. Calls block for up to a few seconds. Thread-safe.
class CardSource {
 public:
  virtual ~CardSource() = default;
  virtual absl::StatusOr<std::vector<ModelName>> ListModels() = 0;
  // NotFound: no such model.
  virtual absl::StatusOr<ModelCard> GetModelCard(const std::string& name) = 0;
  // Calls under way and later ones fail at once. Does not block.
  virtual void CancelLooks() = 0;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_MODELS_MODEL_CARD_H_
