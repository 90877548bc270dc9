// The lines `BASE64 RANK` of a tiktoken file.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_TIKTOKEN_RANKS_H_
#define SWITCHBOARD_TEXT_TOKENIZER_TIKTOKEN_RANKS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/tokenizer/bpe.h"

namespace switchboard::text {

// The tokens in the order of the file, each of 1 to 4096 bytes, with ranks in 0..kMaxVocabulary-1.
// InvalidArgument, naming the line, for what is malformed.
absl::StatusOr<std::vector<BytesAndId>> ReadTiktokenRanks(absl::string_view ranks);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_TIKTOKEN_RANKS_H_
