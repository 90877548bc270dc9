// A model card whose tokens are single bytes (a byte is its own id) and a few added tokens, so that
// tests can say by hand which ids a text has.
#ifndef SWITCHBOARD_TESTS_UNIT_GATEWAY_BYTE_CARD_H_
#define SWITCHBOARD_TESTS_UNIT_GATEWAY_BYTE_CARD_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "gateway/models/directory.h"
#include "gateway/models/model.h"

namespace switchboard::gateway {

inline constexpr int32_t kEndToken = 256;        // <|end|>, special
inline constexpr int32_t kImageToken = 257;      // <|image|>, special
inline constexpr int32_t kUserToken = 258;       // <|user|>, special
inline constexpr int32_t kAssistantToken = 259;  // <|assistant|>, special
inline constexpr int32_t kThinkToken = 260;      // <think>
inline constexpr int32_t kUnthinkToken = 261;    // </think>
inline constexpr int32_t kByteVocabulary = 262;

// Users and assistants only.
inline constexpr char kByteTemplate[] =
    "{% for m in messages %}{{ '<|user|>' if m.role == 'user' else '<|assistant|>' }}"
    "{{ m.content }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
    "{% if enable_thinking %}<think>{% endif %}";

// tokenizer.json writes bytes that do not print as characters from U+0100 on.
inline std::string ByteTokenizerJson() {
  JsonObject vocabulary;
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool prints = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    std::string name;
    AppendUtf8(prints ? byte : next++, &name);
    vocabulary[name] = static_cast<int64_t>(byte);
  }
  JsonArray added;
  int32_t id = kEndToken;
  for (const char* content :
       {"<|end|>", "<|image|>", "<|user|>", "<|assistant|>", "<think>", "</think>"}) {
    added.push_back(JsonObject{{"id", id},
                               {"content", content},
                               {"single_word", false},
                               {"lstrip", false},
                               {"rstrip", false},
                               {"normalized", false},
                               {"special", id < kThinkToken}});
    ++id;
  }
  const JsonObject byte_level = {{"type", "ByteLevel"},
                                 {"add_prefix_space", false},
                                 {"trim_offsets", true},
                                 {"use_regex", true}};
  return SerializeJson(JsonObject{{"version", "1.0"},
                                  {"truncation", nullptr},
                                  {"padding", nullptr},
                                  {"added_tokens", std::move(added)},
                                  {"normalizer", nullptr},
                                  {"pre_tokenizer", byte_level},
                                  {"post_processor", nullptr},
                                  {"decoder", byte_level},
                                  {"model", JsonObject{{"type", "BPE"},
                                                       {"ignore_merges", false},
                                                       {"vocab", std::move(vocabulary)},
                                                       {"merges", JsonArray()}}}});
}

// A vision model with a context of 1,000 tokens; an image of 28x28 has 9 tokens (84x84 after
// resizing).
inline ModelCard ByteCard() {
  ModelCard card;
  card.fingerprint = "f1";
  card.tokenizer_json = ByteTokenizerJson();
  card.chat_template = kByteTemplate;
  card.limits.max_model_len = 1000;
  card.limits.vocab_size = kByteVocabulary;
  card.image_input.emplace();
  card.image_input->token_id = kImageToken;
  card.image_input->placeholder = "<|image|>";
  card.image_input->max_images = 2;
  return card;
}

inline std::shared_ptr<const Model> MakeModel(ModelCard card) {
  absl::StatusOr<std::shared_ptr<const Model>> model = Model::FromCard(std::move(card));
  CHECK(model.ok());
  return *std::move(model);
}

// Knows one model under the name "m".
inline DirectorySnapshot SnapshotOf(std::shared_ptr<const Model> model) {
  DirectorySnapshot snapshot;
  snapshot.names.push_back(
      {"m", "root", 1790000000, model->card().limits.max_model_len, model->card().fingerprint});
  snapshot.by_name["m"] = std::move(model);
  return snapshot;
}

inline std::vector<int32_t> Bytes(absl::string_view text) {
  std::vector<int32_t> ids;
  for (char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_TESTS_UNIT_GATEWAY_BYTE_CARD_H_
