#include "gateway/openai/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"

namespace switchboard::openai {
namespace {

constexpr int64_t kMinInt64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
constexpr double kMostLogitBias = 100;
// Keeps a float away from 0 and infinity; far beyond anything useful.
constexpr double kLeastRepetitionPenalty = 1e-3, kMostRepetitionPenalty = 1e3;

absl::StatusOr<std::optional<double>> ReadRepetitionPenalty(ObjectReader* body) {
  ASSIGN_OR_RETURN(
      std::optional<double> penalty,
      body->Number("repetition_penalty", kLeastRepetitionPenalty, kMostRepetitionPenalty));
  ASSIGN_OR_RETURN(const std::optional<double> alias,
                   body->Number("repeat_penalty", kLeastRepetitionPenalty, kMostRepetitionPenalty));
  return penalty.has_value() ? penalty : alias;
}

// Off is written as 0 and as -1.
absl::StatusOr<std::optional<int64_t>> ReadTopK(ObjectReader* body) {
  ASSIGN_OR_RETURN(std::optional<int64_t> top_k, body->Integer("top_k", -1, kMaxInt32));
  if (top_k.has_value()) top_k = std::max<int64_t>(*top_k, 0);
  return top_k;
}

// -1 is how some clients write "no seed".
absl::StatusOr<std::optional<uint64_t>> ReadSeed(ObjectReader* body) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> seed, body->Integer("seed", kMinInt64, kMaxInt64));
  if (!seed.has_value() || *seed == -1) return std::optional<uint64_t>();
  return std::optional<uint64_t>(static_cast<uint64_t>(*seed));
}

absl::StatusOr<std::map<int64_t, double>> ReadLogitBias(ObjectReader* body) {
  std::map<int64_t, double> bias;
  ASSIGN_OR_RETURN(const JsonObject* object, body->Object("logit_bias"));
  if (object == nullptr) return bias;
  RETURN_IF_ERROR(CheckLength("logit_bias", object->size(), kMaxLogitBias));
  for (const auto& [key, value] : *object) {
    const absl::string_view text = ToAbsl(key);
    int64_t id = 0;
    if (text.find_first_not_of("0123456789") != absl::string_view::npos ||
        !absl::SimpleAtoi(text, &id)) {
      return Error("invalid_value", "logit_bias", "The keys of 'logit_bias' must be token ids.");
    }
    if (!value.is_number())
      return WrongType("logit_bias", "a map from token ids to numbers", value);
    ASSIGN_OR_RETURN(const double number,
                     NumberAt("logit_bias", value, -std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::max()));
    bias[id] = std::clamp(number, -kMostLogitBias, kMostLogitBias);
  }
  return bias;
}

absl::StatusOr<std::vector<int64_t>> ReadStopTokenIds(ObjectReader* body) {
  std::vector<int64_t> ids;
  ASSIGN_OR_RETURN(const JsonArray* array, body->Array("stop_token_ids"));
  if (array == nullptr) return ids;
  RETURN_IF_ERROR(CheckLength("stop_token_ids", array->size(), kMaxStopTokenIds));
  for (size_t i = 0; i < array->size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t id,
                     IntegerAt(ItemPath("stop_token_ids", i), (*array)[i], 0, kMaxInt32));
    ids.push_back(id);
  }
  return ids;
}

absl::Status CheckIds(const SamplingFields& fields, int64_t vocab_size) {
  const auto outside = [vocab_size](absl::string_view param, int64_t id) {
    return Error("invalid_value", param,
                 absl::StrCat("'", param, "' names token ", id,
                              ", which is out of vocabulary: ids ", "are below ", vocab_size, "."));
  };
  for (const auto& [id, bias] : fields.logit_bias) {
    if (id >= vocab_size) return outside("logit_bias", id);
  }
  for (int64_t id : fields.stop_token_ids) {
    if (id >= vocab_size) return outside("stop_token_ids", id);
  }
  return absl::OkStatus();
}

// Output tokens that the client, the model and the context allow together.
absl::StatusOr<int64_t> EffectiveMaxTokens(const SamplingFields& fields, const ModelLimits& model,
                                           int64_t prompt_tokens) {
  const int64_t room = model.max_model_len - prompt_tokens;
  if (room < 1) {
    return PromptTooLong(fields.prompt_param, model.max_model_len, prompt_tokens, true);
  }
  if (!fields.max_tokens.has_value()) return std::min(room, model.max_new_tokens.value_or(room));
  if (*fields.max_tokens > room && !model.clamp_max_tokens) {
    return OutputTooLong(fields.max_tokens_param, model.max_model_len, prompt_tokens,
                         *fields.max_tokens);
  }
  return std::min(room, *fields.max_tokens);
}

}  // namespace

absl::StatusOr<SamplingFields> ReadSampling(ObjectReader* body) {
  SamplingFields fields;
  ASSIGN_OR_RETURN(fields.temperature, body->Number("temperature", 0, 2));
  ASSIGN_OR_RETURN(fields.top_p, body->Number("top_p", 0, 1));
  ASSIGN_OR_RETURN(fields.top_k, ReadTopK(body));
  ASSIGN_OR_RETURN(fields.min_p, body->Number("min_p", 0, 1));
  ASSIGN_OR_RETURN(fields.repetition_penalty, ReadRepetitionPenalty(body));
  ASSIGN_OR_RETURN(const std::optional<double> frequency, body->Number("frequency_penalty", -2, 2));
  ASSIGN_OR_RETURN(const std::optional<double> presence, body->Number("presence_penalty", -2, 2));
  fields.frequency_penalty = frequency.value_or(0);
  fields.presence_penalty = presence.value_or(0);
  ASSIGN_OR_RETURN(fields.logit_bias, ReadLogitBias(body));
  ASSIGN_OR_RETURN(fields.seed, ReadSeed(body));
  ASSIGN_OR_RETURN(const std::optional<int64_t> least, body->Integer("min_tokens", 0, kMaxInt32));
  fields.min_tokens = least.value_or(0);
  ASSIGN_OR_RETURN(fields.stop_token_ids, ReadStopTokenIds(body));
  ASSIGN_OR_RETURN(const std::optional<bool> ignore_eos, body->Bool("ignore_eos"));
  fields.ignore_eos = ignore_eos.value_or(false);
  ASSIGN_OR_RETURN(const std::optional<int64_t> choices, body->Integer("n", 1, kMaxChoices));
  fields.choices = static_cast<int>(choices.value_or(1));
  return fields;
}

absl::Status ReadMaxTokens(std::initializer_list<absl::string_view> keys, ObjectReader* body,
                           SamplingFields* fields) {
  bool found = false, unlimited = false;
  for (absl::string_view key : keys) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, body->Integer(key, -1, kMaxInt32));
    if (value == 0) {
      return Error("integer_below_min_value", key, absl::StrCat("'", key, "' must be at least 1."));
    }
    unlimited = unlimited || value == -1;
    if (found || !value.has_value() || *value == -1) continue;
    found = true;
    fields->max_tokens = value;
    fields->max_tokens_param = key;
  }
  if (!found && unlimited) fields->max_tokens.reset();
  return absl::OkStatus();
}

absl::StatusOr<Sampling> ResolveSampling(const SamplingFields& fields, const ModelLimits& model,
                                         int64_t prompt_tokens, uint64_t drawn_seed) {
  CHECK(prompt_tokens >= 1);
  RETURN_IF_ERROR(CheckIds(fields, model.vocab_size));
  ASSIGN_OR_RETURN(const int64_t max_tokens, EffectiveMaxTokens(fields, model, prompt_tokens));
  if (fields.min_tokens > max_tokens) {
    return Error("invalid_value", "min_tokens",
                 absl::StrCat("'min_tokens' is ", fields.min_tokens, " but at most ", max_tokens,
                              " tokens can be generated."));
  }
  Sampling out;
  const auto pick = [](const std::optional<double>& asked, const std::optional<double>& preferred,
                       double otherwise) {
    return static_cast<float>(asked.value_or(preferred.value_or(otherwise)));
  };
  out.temperature = pick(fields.temperature, model.temperature, 1);
  out.top_p = pick(fields.top_p, model.top_p, 1);
  out.min_p = pick(fields.min_p, model.min_p, 0);
  out.repetition_penalty = pick(fields.repetition_penalty, model.repetition_penalty, 1);
  out.top_k = static_cast<int32_t>(fields.top_k.value_or(model.top_k.value_or(0)));
  out.frequency_penalty = static_cast<float>(fields.frequency_penalty);
  out.presence_penalty = static_cast<float>(fields.presence_penalty);
  for (const auto& [id, bias] : fields.logit_bias) {
    out.logit_bias.emplace_back(static_cast<int32_t>(id), static_cast<float>(bias));
  }
  out.seed = fields.seed.value_or(drawn_seed);
  out.max_tokens = static_cast<int32_t>(max_tokens);
  out.min_tokens = static_cast<int32_t>(fields.min_tokens);
  for (int64_t id : fields.stop_token_ids) out.stop_token_ids.push_back(static_cast<int32_t>(id));
  out.ignore_eos = fields.ignore_eos;
  return out;
}

absl::Status CheckWholeLogprobs(const SamplingFields& fields, const Sampling& sampling) {
  // None of the factors passes its bound, so the product is far from overflow.
  const int64_t total =
      int64_t{fields.choices} * (1 + sampling.top_logprobs) * int64_t{sampling.max_tokens};
  if (total <= kMaxWholeLogprobs) return absl::OkStatus();
  return Error("invalid_value", fields.max_tokens_param,
               absl::StrCat("'", fields.max_tokens_param, "' of ", sampling.max_tokens,
                            " with 'n' ", fields.choices, " and ", sampling.top_logprobs,
                            " alternatives makes ", total, " log-probabilities, at most ",
                            kMaxWholeLogprobs, " are possible without 'stream': true."));
}

}  // namespace switchboard::openai
