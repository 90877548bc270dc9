// The printable alphabet of byte-level vocabularies (from GPT-2): a token's text in tokenizer.json
// spells each of its bytes as one character, so that no token contains white space or control
// characters.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_BYTE_ALPHABET_H_
#define SWITCHBOARD_TEXT_TOKENIZER_BYTE_ALPHABET_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace switchboard::text {

// The bytes that `spelling` stands for; nothing when a character of it is not one of the alphabet's
// 256.
absl::optional<std::string> BytesOfSpelling(absl::string_view spelling);

// The other way round.
std::string SpellingOfBytes(absl::string_view bytes);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_BYTE_ALPHABET_H_
