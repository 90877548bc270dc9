#include "gateway/models/model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace switchboard::gateway {
namespace {

absl::Status CheckLimits(const openai::ModelLimits& limits, int tokenizer_size) {
  if (limits.max_model_len < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("model card: max_model_len is ", limits.max_model_len));
  }
  // The tokenizer may know fewer ids than the model has rows, never more.
  if (limits.vocab_size < tokenizer_size) {
    return absl::InvalidArgumentError(absl::StrCat("model card: vocab_size is ", limits.vocab_size,
                                                   ", the tokenizer has ", tokenizer_size));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Model>> Model::FromCard(ModelCard card) {
  std::shared_ptr<Model> model(new Model());
  absl::StatusOr<std::unique_ptr<const text::Tokenizer>> tokenizer =
      text::Tokenizer::FromJson(card.tokenizer_json);
  if (!tokenizer.ok()) return Annotate(tokenizer.status(), "model card, tokenizer");
  model->tokenizer_ = *std::move(tokenizer);
  RETURN_IF_ERROR(CheckLimits(card.limits, model->tokenizer_->vocab_size()));
  if (!card.chat_template.empty()) {
    ASSIGN_OR_RETURN(model->chat_template_, text::ChatTemplate::Parse(card.chat_template));
  }
  card.tokenizer_json = std::string();
  card.chat_template = std::string();
  model->card_ = std::move(card);
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace switchboard::gateway
