// Finds the tokenizer of a model folder, whatever file it is in.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_FOLDER_H_
#define SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"

namespace switchboard::text {

// The content of a tokenizer.json: the folder's own, else made of a tiktoken file as Hugging Face's
// converter does (every split of every token is a merge, in the order of the ranks):
// - qwen.tiktoken, with the special tokens of Qwen's own program from id 151643 on;
// - tokenizer.model of a ChatGLM4Tokenizer, with the "added_tokens_decoder" of its
//   tokenizer_config.json, and [gMASK]<sop> before a text as its program puts them.
// NotFound when the folder has none of these files; Unimplemented for a tokenizer.model of another
// class (SentencePiece); InvalidArgument for malformed files. Errors name the file.
absl::StatusOr<std::string> ReadTokenizerFolder(const std::string& folder);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_FOLDER_H_
