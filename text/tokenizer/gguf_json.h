// A GGUF vocabulary as a JSON text, to travel where a tokenizer.json does: an object with the
// metadata keys of the file ("tokenizer.ggml.model", ...) and their values.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_GGUF_JSON_H_
#define SWITCHBOARD_TEXT_TOKENIZER_GGUF_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "text/tokenizer/gguf_vocabulary.h"
#include "text/tokenizer/json_field.h"
#include "text/tokenizer/tokenizer_parts.h"

namespace switchboard::text {

// What Tokenizer::FromJson makes the same tokenizer of as Tokenizer::FromGguf of `vocabulary`.
// InvalidArgument when a token or a merge is not UTF-8.
absl::StatusOr<std::string> GgufVocabularyJson(const GgufVocabulary& vocabulary);

// Whether an object is such a text.
bool IsGgufJson(const JsonField& file);
// InvalidArgument for a value of the wrong type; errors of ReadGguf.
absl::StatusOr<TokenizerParts> ReadGgufJson(const JsonField& file);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_GGUF_JSON_H_
