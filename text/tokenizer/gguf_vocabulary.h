// The tokenizer part of a GGUF file's metadata, as plain values: whoever reads the file fills this
// in, Tokenizer::FromGguf makes a tokenizer of it.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_GGUF_VOCABULARY_H_
#define SWITCHBOARD_TEXT_TOKENIZER_GGUF_VOCABULARY_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace switchboard::text {

// Each member is the value of one metadata key, unchecked; an absent key leaves it empty. The
// strings and lists belong to the caller (the mapped file) and need to live only as long as the
// call that takes the struct.
struct GgufVocabulary {
  // Values of `types`, from the GGUF specification.
  enum TokenType : int32_t {
    kNormal = 1,
    kUnknown = 2,
    kControl = 3,      // steers the model: found only in template text, left out of answers
    kUserDefined = 4,  // found as a whole before everything else
    kUnused = 5,
    kByte = 6,  // spelt <0xHH>
  };

  absl::string_view model;                     // tokenizer.ggml.model: "gpt2" or "llama"
  absl::string_view pre;                       // tokenizer.ggml.pre, with "gpt2" only
  absl::Span<const absl::string_view> tokens;  // tokenizer.ggml.tokens, by id
  absl::Span<const int32_t> types;             // tokenizer.ggml.token_type; empty: all kNormal
  absl::Span<const float> scores;              // tokenizer.ggml.scores, with "llama" only
  absl::Span<const absl::string_view> merges;  // tokenizer.ggml.merges, with "gpt2" only
  absl::optional<int64_t> bos_id;              // tokenizer.ggml.bos_token_id
  absl::optional<int64_t> eos_id;              // tokenizer.ggml.eos_token_id
  absl::optional<int64_t> unknown_id;          // tokenizer.ggml.unknown_token_id
  absl::optional<bool> add_bos;                // tokenizer.ggml.add_bos_token
  absl::optional<bool> add_eos;                // tokenizer.ggml.add_eos_token
  absl::optional<bool> add_space_prefix;       // tokenizer.ggml.add_space_prefix, with "llama" only
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_GGUF_VOCABULARY_H_
