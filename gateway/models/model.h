// A model as the gateway knows it: everything between text and token ids, parsed once per
// fingerprint.
#ifndef SWITCHBOARD_GATEWAY_MODELS_MODEL_H_
#define SWITCHBOARD_GATEWAY_MODELS_MODEL_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "gateway/models/model_card.h"
#include "text/template/chat_template.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::gateway {

// Immutable, so shared between threads and requests without a lock.
class Model {
 public:
  // Parses tokenizer and template, which takes a second for a large vocabulary. InvalidArgument or
  // Unimplemented says what of the card cannot be used.
  static absl::StatusOr<std::shared_ptr<const Model>> FromCard(ModelCard card);

  // tokenizer_json and chat_template of it are empty: they have been parsed.
  const ModelCard& card() const { return card_; }
  const text::Tokenizer& tokenizer() const { return *tokenizer_; }
  // Null: the model has none.
  const text::ChatTemplate* chat_template() const { return chat_template_.get(); }

 private:
  Model() = default;

  ModelCard card_;
  std::unique_ptr<const text::Tokenizer> tokenizer_;
  std::unique_ptr<const text::ChatTemplate> chat_template_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_MODELS_MODEL_H_
