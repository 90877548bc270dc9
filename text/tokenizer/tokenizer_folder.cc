#include "text/tokenizer/tokenizer_folder.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "text/tokenizer/byte_alphabet.h"
#include "text/tokenizer/json_field.h"
#include "text/tokenizer/known_patterns.h"
#include "text/tokenizer/tiktoken_ranks.h"

namespace switchboard::text {
namespace {

constexpr size_t kMaxFileBytes = size_t{256} << 20;

// What a tiktoken file leaves to the program that loads it, as members of a tokenizer.json.
struct Surrounding {
  const char* pattern;
  Json normalizer;  // null: none
  JsonArray added_tokens;
  JsonArray prefix;  // texts of added tokens
};

JsonObject AddedTokenJson(int64_t id, absl::string_view content) {
  JsonObject token;
  token["id"] = id;
  token["content"] = ToBoost(content);
  for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) token[flag] = false;
  token["special"] = true;
  return token;
}

Surrounding QwenSurrounding() {
  Surrounding qwen{kQwen2Pattern, JsonObject{{"type", Json("NFC")}}, {}, {}};
  int64_t next = 151643;
  for (const char* text : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) {
    qwen.added_tokens.push_back(AddedTokenJson(next++, text));
  }
  for (int i = 0; i < 205; ++i) {
    qwen.added_tokens.push_back(AddedTokenJson(next++, absl::StrCat("<|extra_", i, "|>")));
  }
  return qwen;
}

// `config` is the content of tokenizer_config.json.
absl::StatusOr<Surrounding> ChatGlmSurrounding(absl::string_view config) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(config));
  ASSIGN_OR_RETURN(const JsonField file, JsonField::Of(json, ""));
  ASSIGN_OR_RETURN(const std::string type, file.String("tokenizer_class"));
  if (type != "ChatGLM4Tokenizer") {
    return file.Unsupported("tokenizer_class",
                            absl::StrCat("the tokenizer.model of a ", type,
                                         " is not supported: convert it to a tokenizer.json"));
  }
  Surrounding glm{kCl100kPattern, nullptr, {}, {Json("[gMASK]"), Json("<sop>")}};
  ASSIGN_OR_RETURN(const JsonField added, file.Object("added_tokens_decoder"));
  for (const auto& [key, value] : added.object()) {
    const absl::string_view name = ToAbsl(key);
    ASSIGN_OR_RETURN(const JsonField token, JsonField::Of(value, added.Path(name)));
    int64_t id = -1;
    if (!absl::SimpleAtoi(name, &id)) return added.Invalid(name, "want an id as key");
    JsonObject copy = token.object();
    copy["id"] = id;
    glm.added_tokens.push_back(std::move(copy));
  }
  return glm;
}

// {"type": "TemplateProcessing"} that puts `prefix` before a text; null when there is none.
absl::StatusOr<Json> PostProcessor(const Surrounding& around) {
  if (around.prefix.empty()) return Json(nullptr);
  JsonArray single;
  JsonObject special;
  for (const Json& text : around.prefix) {
    const boost::json::string& name = text.get_string();
    single.push_back(JsonObject{{"SpecialToken", JsonObject{{"id", text}}}});
    for (const Json& token : around.added_tokens) {
      const Json* content = FindPresent(token.get_object(), "content");
      if (content != nullptr && *content == text) {
        special[name] = JsonObject{{"ids", JsonArray{token.get_object().at("id")}}};
      }
    }
    if (!special.contains(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("added_tokens_decoder: has no ", ToAbsl(name)));
    }
  }
  single.push_back(JsonObject{{"Sequence", JsonObject{{"id", "A"}}}});
  return Json(
      JsonObject{{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", special}});
}

Json PreTokenizerJson(const char* pattern) {
  const JsonObject split{{"type", "Split"},
                         {"pattern", JsonObject{{"Regex", pattern}}},
                         {"behavior", "Isolated"},
                         {"invert", false}};
  const JsonObject byte_level{
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return JsonObject{{"type", "Sequence"}, {"pretokenizers", JsonArray{split, byte_level}}};
}

JsonObject ModelJson(const std::vector<BytesAndId>& tokens) {
  JsonObject vocab;
  std::vector<std::pair<int32_t, std::string>> spelt;  // by id
  vocab.reserve(tokens.size());
  for (const auto& [bytes, id] : tokens) {
    spelt.emplace_back(id, SpellingOfBytes(bytes));
    vocab[spelt.back().second] = id;
  }
  std::sort(spelt.begin(), spelt.end());
  const auto spelling = [&](int32_t id) -> const std::string& {
    return std::lower_bound(spelt.begin(), spelt.end(), std::make_pair(id, std::string()))->second;
  };
  std::vector<TokenSplit> splits = AllSplits(tokens);
  std::sort(splits.begin(), splits.end(), [](const TokenSplit& a, const TokenSplit& b) {
    return std::tie(a.result, a.left, a.right) < std::tie(b.result, b.left, b.right);
  });
  JsonArray merges;
  merges.reserve(splits.size());
  for (const TokenSplit& split : splits) {
    merges.emplace_back(absl::StrCat(spelling(split.left), " ", spelling(split.right)));
  }
  JsonObject model{{"type", "BPE"}, {"ignore_merges", true}};
  model["vocab"] = std::move(vocab);
  model["merges"] = std::move(merges);
  return model;
}

absl::StatusOr<std::string> FromRanks(absl::string_view ranks, Surrounding around) {
  ASSIGN_OR_RETURN(const std::vector<BytesAndId> tokens, ReadTiktokenRanks(ranks));
  ASSIGN_OR_RETURN(Json post_processor, PostProcessor(around));
  JsonObject file;
  file["added_tokens"] = std::move(around.added_tokens);
  file["normalizer"] = std::move(around.normalizer);
  file["pre_tokenizer"] = PreTokenizerJson(around.pattern);
  file["post_processor"] = std::move(post_processor);
  file["decoder"] = JsonObject{{"type", "ByteLevel"}};
  file["model"] = ModelJson(tokens);
  return SerializeJson(file);
}

}  // namespace

absl::StatusOr<std::string> ReadTokenizerFolder(const std::string& folder) {
  absl::StatusOr<std::string> json = ReadFile(folder + "/tokenizer.json", kMaxFileBytes);
  if (!absl::IsNotFound(json.status())) return json;
  const absl::StatusOr<std::string> qwen = ReadFile(folder + "/qwen.tiktoken", kMaxFileBytes);
  if (qwen.ok()) {
    json = FromRanks(*qwen, QwenSurrounding());
    return json.ok() ? json : Annotate(json.status(), "qwen.tiktoken");
  }
  if (!absl::IsNotFound(qwen.status())) return qwen.status();
  const absl::StatusOr<std::string> ranks = ReadFile(folder + "/tokenizer.model", kMaxFileBytes);
  if (absl::IsNotFound(ranks.status())) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": no tokenizer.json, qwen.tiktoken or tokenizer.model"));
  }
  RETURN_IF_ERROR(ranks.status());
  ASSIGN_OR_RETURN(const std::string config,
                   ReadFile(folder + "/tokenizer_config.json", kMaxFileBytes));
  absl::StatusOr<Surrounding> around = ChatGlmSurrounding(config);
  if (!around.ok()) return Annotate(around.status(), "tokenizer_config.json");
  json = FromRanks(*ranks, *std::move(around));
  return json.ok() ? json : Annotate(json.status(), "tokenizer.model");
}

}  // namespace switchboard::text
