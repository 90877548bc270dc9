// How tokens are to be chosen: what the client said, and what comes of it for one model and prompt.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_SAMPLING_H_
#define SWITCHBOARD_GATEWAY_OPENAI_SAMPLING_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "gateway/openai/object_reader.h"

namespace switchboard::openai {

inline constexpr int kMaxChoices = 128;
inline constexpr int kMaxTopLogprobs = 20;
inline constexpr int kMaxStopTokenIds = 1024;
inline constexpr int kMaxLogitBias = 1024;  // entries
// Tokens with a log-probability, alternatives included, of an answer that is kept whole until its
// end. Each takes some 400 bytes on the way to JSON.
inline constexpr int64_t kMaxWholeLogprobs = int64_t{1} << 21;

// Fields of the request as far as they can be judged without the model.
struct SamplingFields {
  std::optional<double> temperature, top_p, min_p, repetition_penalty;
  std::optional<int64_t> top_k;  // 0: off
  double frequency_penalty = 0, presence_penalty = 0;
  std::map<int64_t, double> logit_bias;  // token id to a value in [-100, 100]
  std::optional<uint64_t> seed;
  std::optional<int64_t> max_tokens;
  // How the endpoint calls the prompt, and the client max_tokens: for errors.
  absl::string_view prompt_param = "messages", max_tokens_param = "max_tokens";
  int64_t min_tokens = 0;
  std::vector<int64_t> stop_token_ids;
  bool ignore_eos = false;
  int choices = 1;
};

// What a model contributes: its size, and what it prefers when the client says nothing.
struct ModelLimits {
  int64_t max_model_len = 0;
  int64_t vocab_size = 0;
  bool clamp_max_tokens = false;  // explicit max_tokens beyond the room: shorten, do not refuse
  std::optional<double> temperature, top_p, min_p, repetition_penalty;
  std::optional<int64_t> top_k, max_new_tokens;
};

// Every value as it is to be used; ranges as in inference.proto.
struct Sampling {
  float temperature = 1, top_p = 1, min_p = 0;
  int32_t top_k = 0;
  float repetition_penalty = 1, frequency_penalty = 0, presence_penalty = 0;
  std::vector<std::pair<int32_t, float>> logit_bias;  // by token id
  uint64_t seed = 0;
  int32_t max_tokens = 1, min_tokens = 0;
  std::vector<int32_t> stop_token_ids;
  bool ignore_eos = false;
  bool logprobs = false;
  int32_t top_logprobs = 0;
};

// Reads the fields that chat and completions share. max_tokens is left to the endpoint.
absl::StatusOr<SamplingFields> ReadSampling(ObjectReader* body);

// Sets max_tokens and max_tokens_param by the first of `keys` (literals) that is there; without one
// both stay. -1 is how some clients write "no limit": it counts as there only when no later key has
// a number.
absl::Status ReadMaxTokens(std::initializer_list<absl::string_view> keys, ObjectReader* body,
                           SamplingFields* fields);

// Fills in the model's defaults and the room left behind a prompt of `prompt_tokens`, which is at
// least 1. `drawn_seed` is used when the client gave none. InvalidArgument: ids outside the
// vocabulary, a prompt or max_tokens beyond the context, min_tokens above max_tokens.
absl::StatusOr<Sampling> ResolveSampling(const SamplingFields& fields, const ModelLimits& model,
                                         int64_t prompt_tokens, uint64_t drawn_seed);

// Whether an answer with log-probabilities may be kept whole: choices * (1 + top_logprobs) *
// max_tokens within kMaxWholeLogprobs; else InvalidArgument that names the way out.
absl::Status CheckWholeLogprobs(const SamplingFields& fields, const Sampling& sampling);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_SAMPLING_H_
