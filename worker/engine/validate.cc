#include "worker/engine/validate.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "worker/engine/plan/planner.h"

namespace switchboard::engine {
namespace {

absl::Status Invalid(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(field, " ", problem));
}

// Also false for a value that is not a number.
absl::Status CheckRange(absl::string_view field, double value, double least, double most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Invalid(field, absl::StrCat("must be from ", least, " to ", most, ", not ", value));
}

absl::Status CheckAtLeast(absl::string_view field, int64_t value, int64_t least) {
  if (value >= least) return absl::OkStatus();
  return Invalid(field, absl::StrCat("must be at least ", least, ", not ", value));
}

absl::Status CheckId(absl::string_view field, int32_t id, int usable_vocab) {
  if (id >= 0 && id < usable_vocab) return absl::OkStatus();
  return Invalid(field, absl::StrCat("has token id ", id, "; ids are 0 to ", usable_vocab - 1));
}

absl::Status CheckPrompt(const Request& request, const EngineOptions& options) {
  if (request.prompt_ids.empty()) return Invalid("prompt_ids", "must not be empty");
  const size_t room = static_cast<size_t>(options.max_model_len) - 1;
  if (request.prompt_ids.size() > room) {
    return Invalid("prompt_ids",
                   absl::StrCat("has ", request.prompt_ids.size(), " tokens; the context of ",
                                options.max_model_len, " leaves room for ", room));
  }
  for (const int32_t id : request.prompt_ids) {
    RETURN_IF_ERROR(CheckId("prompt_ids", id, options.usable_vocab));
  }
  return absl::OkStatus();
}

absl::Status CheckImages(const Request& request, const model::ModelShape& shape) {
  if (!request.images.empty() && !shape.has_vision) {
    return Invalid("images", "are not taken by this model");
  }
  int64_t end_of_last = 0;
  for (const PreparedImage& image : request.images) {
    if (image.grid_h < 1 || image.grid_w < 1) return Invalid("images.grid", "must be at least 1x1");
    const int64_t patches = int64_t{image.grid_h} * image.grid_w;
    if (image.patches.empty() || static_cast<int64_t>(image.patches.size()) % patches != 0) {
      return Invalid("images.patches", "does not fit the grid");
    }
    if (image.tokens < 1 || image.tokens > patches) {
      return Invalid("images.tokens",
                     absl::StrCat("must be from 1 to ", patches, ", not ", image.tokens));
    }
    if (image.prompt_offset < end_of_last) {
      return Invalid("images.prompt_offset", "must ascend without overlap");
    }
    end_of_last = int64_t{image.prompt_offset} + image.tokens;
    if (end_of_last > static_cast<int64_t>(request.prompt_ids.size())) {
      return Invalid("images.prompt_offset", "lies beyond the prompt");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLogitBias(const SamplingParams& sampling, const EngineOptions& options) {
  if (sampling.logit_bias.size() > static_cast<size_t>(options.usable_vocab)) {
    return Invalid("logit_bias", "has more entries than there are tokens");
  }
  for (const auto& [id, bias] : sampling.logit_bias) {
    RETURN_IF_ERROR(CheckId("logit_bias", id, options.usable_vocab));
    RETURN_IF_ERROR(CheckRange("logit_bias", bias, -100, 100));
  }
  return absl::OkStatus();
}

// Stop tokens are masked until min_tokens exist: something else must be left to choose.
absl::Status CheckStopTokens(const SamplingParams& sampling, const EngineOptions& options) {
  for (const int32_t id : sampling.stop_token_ids) {
    RETURN_IF_ERROR(CheckId("stop_token_ids", id, options.usable_vocab));
  }
  absl::flat_hash_set<int32_t> stops(sampling.stop_token_ids.begin(),
                                     sampling.stop_token_ids.end());
  if (!sampling.ignore_eos) {
    stops.insert(options.eos_token_ids.begin(), options.eos_token_ids.end());
  }
  if (sampling.min_tokens > 0 && stops.size() >= static_cast<size_t>(options.usable_vocab)) {
    return Invalid("stop_token_ids", "names every token, which min_tokens forbids");
  }
  return absl::OkStatus();
}

absl::Status CheckSampling(const SamplingParams& sampling, const EngineOptions& options) {
  RETURN_IF_ERROR(CheckRange("temperature", sampling.temperature, 0, 2));
  RETURN_IF_ERROR(CheckRange("top_p", sampling.top_p, 0, 1));
  RETURN_IF_ERROR(CheckAtLeast("top_k", sampling.top_k, 0));
  RETURN_IF_ERROR(CheckRange("min_p", sampling.min_p, 0, 1));
  if (!(sampling.repetition_penalty > 0) || !std::isfinite(sampling.repetition_penalty)) {
    return Invalid("repetition_penalty",
                   absl::StrCat("must be positive and finite, not ", sampling.repetition_penalty));
  }
  RETURN_IF_ERROR(CheckRange("frequency_penalty", sampling.frequency_penalty, -2, 2));
  RETURN_IF_ERROR(CheckRange("presence_penalty", sampling.presence_penalty, -2, 2));
  RETURN_IF_ERROR(CheckLogitBias(sampling, options));
  RETURN_IF_ERROR(CheckAtLeast("max_tokens", sampling.max_tokens, 1));
  RETURN_IF_ERROR(CheckAtLeast("min_tokens", sampling.min_tokens, 0));
  RETURN_IF_ERROR(CheckStopTokens(sampling, options));
  RETURN_IF_ERROR(CheckRange("top_logprobs", sampling.top_logprobs, 0, kMaxTopLogprobs));
  if (sampling.top_logprobs > 0 && !sampling.logprobs) {
    return Invalid("top_logprobs", "needs logprobs");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateOptions(const EngineOptions& options, const model::ModelShape& shape) {
  RETURN_IF_ERROR(CheckAtLeast("max_running", options.max_running, 1));
  RETURN_IF_ERROR(CheckAtLeast("max_waiting", options.max_waiting, 1));
  RETURN_IF_ERROR(
      CheckAtLeast("max_batched_tokens", options.max_batched_tokens, options.max_running));
  RETURN_IF_ERROR(CheckRange("max_model_len", options.max_model_len, 2, shape.max_positions));
  RETURN_IF_ERROR(
      CheckAtLeast("kv_pages", options.kv_pages, model::PagesFor(options.max_model_len)));
  RETURN_IF_ERROR(CheckRange("usable_vocab", options.usable_vocab, 1, shape.vocab_size));
  for (const int32_t id : options.eos_token_ids) {
    RETURN_IF_ERROR(CheckId("eos_token_ids", id, options.usable_vocab));
  }
  return absl::OkStatus();
}

absl::Status ValidateRequest(const Request& request, const EngineOptions& options,
                             const model::ModelShape& shape) {
  RETURN_IF_ERROR(CheckPrompt(request, options));
  RETURN_IF_ERROR(CheckRange("choices", request.choices, 1, kMaxChoices));
  RETURN_IF_ERROR(CheckImages(request, shape));
  return CheckSampling(request.sampling, options);
}

}  // namespace switchboard::engine
