// A tokenizer.json small enough to compute ids by hand, for tests to change and load.
#ifndef SWITCHBOARD_TESTS_UNIT_TEXT_TOKENIZER_SMALL_TOKENIZER_H_
#define SWITCHBOARD_TESTS_UNIT_TEXT_TOKENIZER_SMALL_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::text {

// The byte in GPT-2's alphabet, by its definition: printable Latin-1 is itself, the rest follow
// U+0100.
inline std::string SpellByte(int byte) {
  const auto itself = [](int b) {
    return (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
  };
  int others_before = 0;
  for (int b = 0; b < byte; ++b) others_before += itself(b) ? 0 : 1;
  std::string out;
  AppendUtf8(static_cast<char32_t>(itself(byte) ? byte : 0x100 + others_before), &out);
  return out;
}

inline JsonObject Added(int id, absl::string_view content, bool special) {
  JsonObject token;
  token["id"] = id;
  token["content"] = std::string(content);
  for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) token[flag] = false;
  token["special"] = special;
  return token;
}

// Ids 0..255 are the bytes; 256 he, 257 ll, 258 hell, 259 hello, 260 " w"; GPT-2's pattern. Added
// tokens: special 300 <|user|>, 301 <|end|>, 302 <|end|>x; plain 310 <think>, 311 </think>.
inline JsonObject SmallTokenizerJson() {
  JsonObject vocab;
  for (int byte = 0; byte < 256; ++byte) vocab[SpellByte(byte)] = byte;
  JsonArray merges;
  int next = 256;
  const auto merge = [&](const std::string& left, const std::string& right) {
    merges.push_back(JsonArray{Json(left), Json(right)});
    vocab[left + right] = next++;
  };
  merge("h", "e");
  merge("l", "l");
  merge("he", "ll");
  merge("hell", "o");
  merge(SpellByte(' '), "w");
  JsonObject model;
  model["type"] = "BPE";
  model["vocab"] = vocab;
  model["merges"] = merges;
  JsonObject byte_level;
  byte_level["type"] = "ByteLevel";
  byte_level["add_prefix_space"] = false;
  byte_level["use_regex"] = true;
  JsonObject file;
  file["added_tokens"] =
      JsonArray{Json(Added(300, "<|user|>", true)), Json(Added(301, "<|end|>", true)),
                Json(Added(302, "<|end|>x", true)), Json(Added(310, "<think>", false)),
                Json(Added(311, "</think>", false))};
  file["pre_tokenizer"] = byte_level;
  file["decoder"] = byte_level;
  file["model"] = model;
  return file;
}

inline absl::StatusOr<std::unique_ptr<const Tokenizer>> LoadJson(const JsonObject& file) {
  return Tokenizer::FromJson(SerializeJson(file));
}

inline std::unique_ptr<const Tokenizer> SmallTokenizer() {
  auto tokenizer = LoadJson(SmallTokenizerJson());
  CHECK(tokenizer.ok());
  return *std::move(tokenizer);
}

using Ids = std::vector<int32_t>;

// One id per byte.
inline Ids BytesAsIds(absl::string_view text) {
  Ids ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TESTS_UNIT_TEXT_TOKENIZER_SMALL_TOKENIZER_H_
