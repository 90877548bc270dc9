// What a tokenizer is made of. Each file format has a reader that fills this in.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_PARTS_H_
#define SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_PARTS_H_

#include <cstdint>
#include <vector>

#include "text/tokenizer/added_tokens.h"
#include "text/tokenizer/bpe.h"
#include "text/tokenizer/normalizer.h"
#include "text/tokenizer/pre_tokenizer.h"
#include "text/tokenizer/token_decoder.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {

// In the order in which a text passes through it.
struct TokenizerParts {
  AddedTokenMatcher raw_tokens;  // searched in the text as it came
  Normalizer normalizer;
  AddedTokenMatcher normalized_tokens;  // searched in what the normalizer made of the rest
  PreTokenizer pre_tokenizer;
  Bpe bpe;
  // What the post-processor puts around a text.
  std::vector<int32_t> prefix, suffix;
  Vocabulary vocabulary;  // its bytes are by `decoder`
  TokenDecoder decoder;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_PARTS_H_
