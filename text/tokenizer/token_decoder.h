// What a token adds to a text, from how its file spells it.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_TOKEN_DECODER_H_
#define SWITCHBOARD_TEXT_TOKENIZER_TOKEN_DECODER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace switchboard::text {

// The rules of one tokenizer (the "decoder" of a tokenizer.json). A value type.
struct TokenDecoder {
  enum class Lead {
    kKept,          // the first token is like any other
    kSpaceDropped,  // one space is dropped from the start of the whole text
    kBareToken,     // the first token loses all its `mark`s
  };

  // Texts are written in the byte alphabet; one with other characters stands for itself.
  bool byte_level = false;
  // Otherwise: what stands for what in a token's text, applied in order.
  std::vector<std::pair<std::string, std::string>> replacements;
  bool byte_fallback = false;  // <0xHH> stands for that byte
  Lead lead = Lead::kKept;
  std::string mark;  // not empty with kBareToken

  // The bytes that a token spelt `text` stands for.
  std::string BytesOf(absl::string_view text) const;
  // The same for the first token of a text under kBareToken.
  std::string BareBytesOf(absl::string_view text) const;
};

// The value of a text <0xHH>; -1 for every other text.
int ByteOfFallback(absl::string_view text);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_TOKEN_DECODER_H_
