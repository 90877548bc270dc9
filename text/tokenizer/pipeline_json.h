// The steps around the model in a tokenizer.json: normalizer, pre-tokenizer, post-processor,
// decoder.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_PIPELINE_JSON_H_
#define SWITCHBOARD_TEXT_TOKENIZER_PIPELINE_JSON_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "text/tokenizer/json_field.h"
#include "text/tokenizer/normalizer.h"
#include "text/tokenizer/pre_tokenizer.h"

namespace switchboard::text {

// All take the whole file. InvalidArgument for what is malformed, Unimplemented for a type or an
// option that this program does not know: a guess would give plausible but wrong ids.

// NFC, NFD, NFKC, NFKD, Lowercase, Sequence.
absl::StatusOr<Normalizer> ReadNormalizer(const JsonField& file);

// Split (Isolated, Removed), Digits, Sequence, and one ByteLevel, which must come last.
absl::StatusOr<PreTokenizer> ReadPreTokenizer(const JsonField& file);

// Ids before and after a text.
struct Surroundings {
  std::vector<int32_t> prefix, suffix;
};
// TemplateProcessing, ByteLevel, Sequence.
absl::StatusOr<Surroundings> ReadPostProcessor(const JsonField& file);

// Only ByteLevel is known.
absl::Status CheckDecoder(const JsonField& file);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_PIPELINE_JSON_H_
