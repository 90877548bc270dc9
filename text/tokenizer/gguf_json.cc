#include "text/tokenizer/gguf_json.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "text/tokenizer/gguf_tokenizer.h"

namespace switchboard::text {
namespace {

constexpr char kModel[] = "tokenizer.ggml.model";
constexpr char kPre[] = "tokenizer.ggml.pre";
constexpr char kTokens[] = "tokenizer.ggml.tokens";
constexpr char kTypes[] = "tokenizer.ggml.token_type";
constexpr char kScores[] = "tokenizer.ggml.scores";
constexpr char kMerges[] = "tokenizer.ggml.merges";
constexpr char kBosId[] = "tokenizer.ggml.bos_token_id";
constexpr char kEosId[] = "tokenizer.ggml.eos_token_id";
constexpr char kUnknownId[] = "tokenizer.ggml.unknown_token_id";
constexpr char kAddBos[] = "tokenizer.ggml.add_bos_token";
constexpr char kAddEos[] = "tokenizer.ggml.add_eos_token";
constexpr char kAddSpacePrefix[] = "tokenizer.ggml.add_space_prefix";

absl::Status PutTexts(absl::string_view key, absl::Span<const absl::string_view> texts,
                      JsonObject* out) {
  JsonArray list;
  list.reserve(texts.size());
  for (const absl::string_view text : texts) {
    if (!IsValidUtf8(text)) {
      return absl::InvalidArgumentError(absl::StrCat(key, "[", list.size(), "]: not UTF-8"));
    }
    list.emplace_back(ToBoost(text));
  }
  (*out)[ToBoost(key)] = std::move(list);
  return absl::OkStatus();
}

template <typename T>
void PutNumbers(absl::string_view key, absl::Span<const T> numbers, JsonObject* out) {
  JsonArray list;
  list.reserve(numbers.size());
  for (const T number : numbers) list.emplace_back(number);
  (*out)[ToBoost(key)] = std::move(list);
}

template <typename T>
void PutIfKnown(absl::string_view key, const absl::optional<T>& value, JsonObject* out) {
  if (value.has_value()) (*out)[ToBoost(key)] = *value;
}

// Lists; an absent key leaves them empty.
absl::StatusOr<std::vector<absl::string_view>> Texts(const JsonField& file, absl::string_view key) {
  std::vector<absl::string_view> texts;
  if (file.Find(key) == nullptr) return texts;
  ASSIGN_OR_RETURN(const JsonArray* list, file.List(key));
  texts.reserve(list->size());
  for (const Json& text : *list) {
    if (!text.is_string()) return file.Invalid(key, "want texts");
    texts.push_back(ToAbsl(text.get_string()));
  }
  return texts;
}

absl::StatusOr<std::vector<int32_t>> Types(const JsonField& file) {
  std::vector<int32_t> types;
  if (file.Find(kTypes) == nullptr) return types;
  ASSIGN_OR_RETURN(const JsonArray* list, file.List(kTypes));
  types.reserve(list->size());
  for (const Json& type : *list) {
    if (!type.is_int64() || type.get_int64() < 0 || type.get_int64() > 255) {
      return file.Invalid(kTypes, "want small whole numbers");
    }
    types.push_back(static_cast<int32_t>(type.get_int64()));
  }
  return types;
}

absl::StatusOr<std::vector<float>> Scores(const JsonField& file) {
  std::vector<float> scores;
  if (file.Find(kScores) == nullptr) return scores;
  ASSIGN_OR_RETURN(const JsonArray* list, file.List(kScores));
  scores.reserve(list->size());
  for (const Json& score : *list) {
    if (!score.is_number()) return file.Invalid(kScores, "want numbers");
    scores.push_back(static_cast<float>(score.to_number<double>()));
  }
  return scores;
}

absl::Status ReadId(const JsonField& file, absl::string_view key, absl::optional<int64_t>* id) {
  const Json* value = file.Find(key);
  if (value == nullptr) return absl::OkStatus();
  if (!value->is_int64()) return file.Invalid(key, "want a whole number");
  *id = value->get_int64();
  return absl::OkStatus();
}

absl::Status ReadFlag(const JsonField& file, absl::string_view key, absl::optional<bool>* flag) {
  if (file.Find(key) == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(*flag, file.Bool(key, false));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> GgufVocabularyJson(const GgufVocabulary& vocabulary) {
  JsonObject out;
  out[kModel] = ToBoost(vocabulary.model);
  out[kPre] = ToBoost(vocabulary.pre);
  RETURN_IF_ERROR(PutTexts(kTokens, vocabulary.tokens, &out));
  RETURN_IF_ERROR(PutTexts(kMerges, vocabulary.merges, &out));
  PutNumbers(kTypes, vocabulary.types, &out);
  PutNumbers(kScores, vocabulary.scores, &out);
  PutIfKnown(kBosId, vocabulary.bos_id, &out);
  PutIfKnown(kEosId, vocabulary.eos_id, &out);
  PutIfKnown(kUnknownId, vocabulary.unknown_id, &out);
  PutIfKnown(kAddBos, vocabulary.add_bos, &out);
  PutIfKnown(kAddEos, vocabulary.add_eos, &out);
  PutIfKnown(kAddSpacePrefix, vocabulary.add_space_prefix, &out);
  return SerializeJson(out);
}

bool IsGgufJson(const JsonField& file) { return file.Find(kModel) != nullptr; }

absl::StatusOr<TokenizerParts> ReadGgufJson(const JsonField& file) {
  GgufVocabulary vocabulary;
  ASSIGN_OR_RETURN(const std::string model, file.String(kModel));
  std::string pre;
  if (file.Find(kPre) != nullptr) {
    ASSIGN_OR_RETURN(pre, file.String(kPre));
  }
  ASSIGN_OR_RETURN(const std::vector<absl::string_view> tokens, Texts(file, kTokens));
  ASSIGN_OR_RETURN(const std::vector<absl::string_view> merges, Texts(file, kMerges));
  ASSIGN_OR_RETURN(const std::vector<int32_t> types, Types(file));
  ASSIGN_OR_RETURN(const std::vector<float> scores, Scores(file));
  vocabulary.model = model;
  vocabulary.pre = pre;
  vocabulary.tokens = tokens;
  vocabulary.merges = merges;
  vocabulary.types = types;
  vocabulary.scores = scores;
  RETURN_IF_ERROR(ReadId(file, kBosId, &vocabulary.bos_id));
  RETURN_IF_ERROR(ReadId(file, kEosId, &vocabulary.eos_id));
  RETURN_IF_ERROR(ReadId(file, kUnknownId, &vocabulary.unknown_id));
  RETURN_IF_ERROR(ReadFlag(file, kAddBos, &vocabulary.add_bos));
  RETURN_IF_ERROR(ReadFlag(file, kAddEos, &vocabulary.add_eos));
  RETURN_IF_ERROR(ReadFlag(file, kAddSpacePrefix, &vocabulary.add_space_prefix));
  return ReadGguf(vocabulary);
}

}  // namespace switchboard::text
