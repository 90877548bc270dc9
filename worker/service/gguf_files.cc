#include "worker/service/gguf_files.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "worker/model/gguf_json.h"

namespace switchboard::worker {
namespace {

constexpr absl::string_view kModel = "tokenizer.ggml.model";
constexpr absl::string_view kTokens = "tokenizer.ggml.tokens";
constexpr absl::string_view kTypes = "tokenizer.ggml.token_type";
constexpr absl::string_view kMerges = "tokenizer.ggml.merges";
constexpr absl::string_view kTemplate = "tokenizer.chat_template";
// What a tokenizer is made of; the rest of the metadata stays here.
constexpr absl::string_view kTokenizerKeys[] = {kModel,
                                                "tokenizer.ggml.pre",
                                                kTokens,
                                                kTypes,
                                                "tokenizer.ggml.scores",
                                                kMerges,
                                                "tokenizer.ggml.bos_token_id",
                                                "tokenizer.ggml.eos_token_id",
                                                "tokenizer.ggml.unknown_token_id",
                                                "tokenizer.ggml.add_bos_token",
                                                "tokenizer.ggml.add_eos_token",
                                                "tokenizer.ggml.add_space_prefix"};

absl::Status Bad(absl::string_view key, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("metadata key '", key, "' ", problem));
}

// Without its types no token is a control token, without merges every letter is a token: such a
// vocabulary would make prompts, only wrong ones.
absl::Status CheckComplete(const model::GgufMetadata& metadata) {
  if (metadata.Find(kTypes) == nullptr) return Bad(kTypes, "is missing");
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> kind, metadata.Text(kModel));
  if (kind == "gpt2" && metadata.Find(kMerges) == nullptr) return Bad(kMerges, "is missing");
  return absl::OkStatus();
}

absl::StatusOr<std::string> TokenizerText(const model::GgufMetadata& metadata) {
  JsonObject tokenizer;
  for (const absl::string_view key : kTokenizerKeys) {
    const model::GgufValue* value = metadata.Find(key);
    if (value == nullptr) continue;
    ASSIGN_OR_RETURN(tokenizer[ToBoost(key)], model::GgufJson(*value));
  }
  return SerializeJson(Json(std::move(tokenizer)));
}

absl::StatusOr<std::string> ChatTemplate(const model::GgufMetadata& metadata) {
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> text, metadata.Text(kTemplate));
  if (!IsValidUtf8(text.value_or(""))) return Bad(kTemplate, "is not UTF-8");
  return std::string(text.value_or(""));
}

// The id that "tokenizer.ggml.KIND_token_id" names, if it is there.
absl::StatusOr<std::optional<int32_t>> TokenId(const model::GgufMetadata& metadata,
                                               absl::string_view kind, size_t vocabulary) {
  const std::string key = absl::StrCat("tokenizer.ggml.", kind, "_token_id");
  ASSIGN_OR_RETURN(const std::optional<int64_t> id, metadata.Int(key));
  if (!id.has_value()) return std::nullopt;
  if (*id < 0 || *id >= static_cast<int64_t>(vocabulary)) {
    return Bad(key, absl::StrCat("is ", *id, ", no id of a vocabulary of ", vocabulary));
  }
  return static_cast<int32_t>(*id);
}

}  // namespace

absl::StatusOr<ModelFiles> GgufModelFiles(const model::GgufMetadata& metadata) {
  ModelFiles files;
  ASSIGN_OR_RETURN(const std::vector<absl::string_view> tokens,
                   metadata.Texts(std::string(kTokens)));
  if (tokens.empty() || tokens.size() > INT32_MAX) return Bad(kTokens, "is missing or empty");
  RETURN_IF_ERROR(CheckComplete(metadata));
  ASSIGN_OR_RETURN(files.tokenizer_json, TokenizerText(metadata));
  ASSIGN_OR_RETURN(files.chat_template, ChatTemplate(metadata));
  files.usable_vocab = static_cast<int>(tokens.size());
  ASSIGN_OR_RETURN(const std::optional<int32_t> bos, TokenId(metadata, "bos", tokens.size()));
  if (bos.has_value()) files.bos_token = std::string(tokens[static_cast<size_t>(*bos)]);
  std::set<int32_t> ends;
  for (const absl::string_view kind : {"eos", "eot", "eom"}) {
    ASSIGN_OR_RETURN(const std::optional<int32_t> id, TokenId(metadata, kind, tokens.size()));
    if (!id.has_value()) continue;
    ends.insert(*id);
    if (kind == "eos") files.eos_token = std::string(tokens[static_cast<size_t>(*id)]);
  }
  files.eos_token_ids.assign(ends.begin(), ends.end());
  return files;
}

}  // namespace switchboard::worker
