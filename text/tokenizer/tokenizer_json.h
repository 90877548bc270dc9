// Reads a tokenizer.json (Hugging Face `tokenizers`, byte-level BPE).
#ifndef SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_JSON_H_
#define SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_JSON_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/tokenizer/tokenizer_parts.h"

namespace switchboard::text {

// Errors: see Tokenizer::FromJson.
absl::StatusOr<TokenizerParts> ReadTokenizerJson(absl::string_view tokenizer_json);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_JSON_H_
