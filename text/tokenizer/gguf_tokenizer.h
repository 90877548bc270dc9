// Reads the vocabulary of a GGUF file.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_GGUF_TOKENIZER_H_
#define SWITCHBOARD_TEXT_TOKENIZER_GGUF_TOKENIZER_H_

#include "absl/status/statusor.h"
#include "text/tokenizer/gguf_vocabulary.h"
#include "text/tokenizer/tokenizer_parts.h"

namespace switchboard::text {

// Errors: see Tokenizer::FromGguf.
absl::StatusOr<TokenizerParts> ReadGguf(const GgufVocabulary& file);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_GGUF_TOKENIZER_H_
