#include "tests/double/card.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/digest.h"
#include "base/json.h"

namespace switchboard::doubles {
namespace {

constexpr char kPattern[] =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr char kTemplate[] =
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor "
    "%}assistant:";

std::string Utf8(int code_point) {  // below U+0800
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  return {static_cast<char>(0xC0 | (code_point >> 6)),
          static_cast<char>(0x80 | (code_point & 0x3F))};
}

// How byte-level vocabularies write each byte: printable Latin-1 as itself, the others in order
// from U+0100.
std::vector<std::string> ByteAlphabet() {
  std::vector<std::string> alphabet;
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable =
        (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    alphabet.push_back(Utf8(printable ? byte : next++));
  }
  return alphabet;
}

JsonObject Model() {
  JsonObject vocabulary;
  vocabulary.reserve(kEndOfText);
  const std::vector<std::string> alphabet = ByteAlphabet();
  for (size_t byte = 0; byte < alphabet.size(); ++byte) vocabulary[alphabet[byte]] = byte;
  for (int32_t stamp = 0; stamp < kStamps; ++stamp) {
    vocabulary[absl::StrFormat("@%05d", stamp)] = kFirstStamp + stamp;
  }
  return {{"type", "BPE"},
          {"ignore_merges", false},
          {"vocab", std::move(vocabulary)},
          {"merges", JsonArray()}};
}

JsonObject ByteLevel() {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", false}};
}

}  // namespace

int32_t StampAt(absl::Time time) {
  return static_cast<int32_t>(absl::ToUnixMicros(time) % 1'000'000 / 10) + kFirstStamp;
}

std::string TokenizerJson() {
  const JsonObject split = {{"type", "Split"},
                            {"pattern", JsonObject{{"Regex", kPattern}}},
                            {"behavior", "Isolated"},
                            {"invert", false}};
  const JsonObject end = {
      {"id", kEndOfText}, {"content", "<|endoftext|>"}, {"single_word", false}, {"lstrip", false},
      {"rstrip", false},  {"normalized", false},        {"special", true}};
  const JsonObject tokenizer = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", JsonArray{end}},
      {"normalizer", nullptr},
      {"pre_tokenizer",
       JsonObject{{"type", "Sequence"}, {"pretokenizers", JsonArray{split, ByteLevel()}}}},
      {"post_processor", nullptr},
      {"decoder", ByteLevel()},
      {"model", Model()}};
  return SerializeJson(tokenizer);
}

v1::ModelCard MakeCard(const std::string& fingerprint, int32_t max_model_len) {
  v1::ModelCard card;
  card.set_fingerprint(fingerprint);
  card.set_tokenizer_json(TokenizerJson());
  card.set_chat_template(kTemplate);
  card.set_eos_token("<|endoftext|>");
  card.set_max_model_len(max_model_len);
  card.set_vocab_size(kVocabulary);
  card.set_clamp_max_tokens(true);
  card.set_card_version(ToHex(Sha256Of(card.SerializeAsString())));
  return card;
}

}  // namespace switchboard::doubles
