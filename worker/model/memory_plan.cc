#include "worker/model/memory_plan.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "worker/model/model.h"
#include "worker/model/scratch_rows.h"

namespace switchboard::model {
namespace {

constexpr int64_t kFloat = sizeof(float);
// Scratch memory grows in steps of a quarter.
constexpr double kScratchSlack = 1.25;

// Bytes of so many floats of scratch memory.
int64_t WithSlack(int64_t floats) {
  return static_cast<int64_t>(kScratchSlack * static_cast<double>(kFloat * floats));
}

absl::Status Exhausted(absl::string_view what) { return absl::ResourceExhaustedError(what); }

}  // namespace

std::string BytesText(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return absl::StrFormat("%.*f %s", unit == 0 ? 0 : 1, value, kUnits[unit]);
}

std::string MemoryPlan::Describe() const {
  return absl::StrCat("weights ", BytesText(weights), ", activations ", BytesText(activations),
                      ", KV cache ", BytesText(kv_bytes()), " (", int64_t{kv_pages} * kPageTokens,
                      " tokens) of ", BytesText(budget));
}

absl::StatusOr<MemoryPlan> PlanMemory(const MemoryNeeds& needs, const MemoryLimits& limits) {
  MemoryPlan plan = {
      limits.budget,       needs.weights,   needs.activations, needs.kv_page_bytes, 0,
      needs.max_positions, needs.vocab_size};
  if (limits.max_model_len > 0) plan.max_model_len = limits.max_model_len;
  if (plan.max_model_len > needs.max_positions) {
    return absl::InvalidArgumentError(absl::StrCat("--max-model-len ", limits.max_model_len,
                                                   " is above the model's own limit of ",
                                                   needs.max_positions));
  }
  const int64_t left = plan.budget - plan.weights - plan.activations;
  if (left <= 0) {
    return Exhausted(absl::StrCat(
        "weights (", BytesText(plan.weights), ") and activations (", BytesText(plan.activations),
        ") do not fit into ", BytesText(plan.budget),
        plan.weights >= plan.budget ? "; --dtype=bfloat16 makes float32 weights half as large, "
                                      "else more memory is needed"
                                    : "; lower --max-num-batched-tokens or use more memory"));
  }
  if (limits.kv_cache_bytes > left) {
    return Exhausted(absl::StrCat("--kv-cache-memory ", limits.kv_cache_bytes, " (",
                                  BytesText(limits.kv_cache_bytes), ") does not fit; at most ",
                                  left, " (", BytesText(left), ") is left beside the weights"));
  }
  const int64_t sequence_pages = PagesFor(plan.max_model_len);
  const int64_t wanted = limits.kv_cache_bytes > 0 ? limits.kv_cache_bytes / plan.kv_page_bytes
                                                   : sequence_pages * limits.max_sequences;
  const int64_t pages = std::min({wanted, left / plan.kv_page_bytes,
                                  int64_t{std::numeric_limits<int32_t>::max()} / kPageTokens});
  if (pages < sequence_pages) {
    return Exhausted(absl::StrCat("a sequence of --max-model-len ", plan.max_model_len,
                                  " tokens takes ", BytesText(sequence_pages * plan.kv_page_bytes),
                                  " of KV cache, but only ", BytesText(pages * plan.kv_page_bytes),
                                  " are there; lower --max-model-len to ", pages * kPageTokens,
                                  limits.kv_cache_bytes > 0 ? " or raise --kv-cache-memory" : ""));
  }
  plan.kv_pages = static_cast<int>(pages);
  return plan;
}

int64_t TextActivationBytes(const TextConfig& t, int64_t tokens) {
  const int64_t q = int64_t{t.heads} * t.head_dim, kv = int64_t{t.kv_heads} * t.head_dim;
  return WithSlack(tokens *
                       (3 * int64_t{t.hidden_size} + 2 * q + 2 * kv + int64_t{4} * t.rotary.pairs) +
                   kMlpRows * 3 * t.mlp_size);
}

int64_t LogitBytes(const TextConfig& t, int64_t sequences) {
  return kFloat * sequences * (int64_t{t.vocab_size} + t.hidden_size);
}

int64_t VisionActivationBytes(const VisionConfig& v, int64_t image_tokens) {
  // Patch rows, state, branch, qkv, attention's result, its tiles of keys and values, rotary.
  const int64_t per_patch = v.patch_width + 9 * int64_t{v.hidden_size} + int64_t{2} * v.head_dim;
  return WithSlack(image_tokens *
                       (int64_t{v.merge} * v.merge * per_patch + int64_t{2} * v.out_hidden_size) +
                   kMlpRows * 3 * std::max(v.mlp_size, v.merger_size));
}

}  // namespace switchboard::model
