#include "gateway/openai/reply_format.h"

#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/version.h"

namespace switchboard::openai {

JsonArray TokenIdsJson(const std::vector<int32_t>& ids) {
  return JsonArray(ids.begin(), ids.end());
}

JsonObject UsageJson(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"total_tokens", usage.prompt_tokens + usage.completion_tokens},
          {"prompt_tokens_details", JsonObject{{"cached_tokens", usage.cached_tokens}}},
          {"completion_tokens_details", JsonObject{{"reasoning_tokens", usage.reasoning_tokens}}}};
}

std::string SseEvent(absl::string_view json) { return absl::StrCat("data: ", json, "\n\n"); }

std::string SystemFingerprint(absl::string_view model_fingerprint) {
  constexpr size_t kDigits = 8;
  const std::string digest = Sha256Of(absl::StrCat(kVersion, "\n", model_fingerprint));
  return absl::StrCat("b", ToHex(digest).substr(0, kDigits));
}

}  // namespace switchboard::openai
