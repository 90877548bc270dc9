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
#include "text/tokenizer/token_decoder.h"

namespace switchboard::text {

// All take the whole file. InvalidArgument for what is malformed, Unimplemented for a type or an
// option that this program does not know: a guess would give plausible but wrong ids.

// NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Sequence.
absl::StatusOr<Normalizer> ReadNormalizer(const JsonField& file);

// Split (Isolated, Removed), Digits, Sequence, and one ByteLevel or Metaspace, which must come
// last.
struct PreTokenization {
  PreTokenizer pre_tokenizer;
  bool byte_level;  // there is a ByteLevel: pieces are encoded from their bytes, not characters
};
absl::StatusOr<PreTokenization> ReadPreTokenizer(const JsonField& file);

// Under "prepend_scheme", in older files "add_prefix_space", of a Metaspace.
absl::StatusOr<Metaspace::Prepend> ReadPrependScheme(const JsonField& metaspace);

// Ids before and after a text.
struct Surroundings {
  std::vector<int32_t> prefix, suffix;
};
// TemplateProcessing, ByteLevel, Sequence.
absl::StatusOr<Surroundings> ReadPostProcessor(const JsonField& file);

// ByteLevel where the pre-tokenizer has it. Otherwise Replace (of strings) or Metaspace, then
// ByteFallback, Fuse, and Strip (of one leading space), each at most once and in this order.
absl::StatusOr<TokenDecoder> ReadDecoder(const JsonField& file, bool byte_level);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_PIPELINE_JSON_H_
