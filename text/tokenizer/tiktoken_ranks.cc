#include "text/tokenizer/tiktoken_ranks.h"

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/base64.h"
#include "base/status_macros.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {
namespace {

// Bounds the work of finding a token's splits, which is quadratic in its length.
constexpr size_t kMaxTokenBytes = 4096;

absl::StatusOr<BytesAndId> ReadLine(absl::string_view line) {
  const std::pair<absl::string_view, absl::string_view> fields =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  int32_t rank = -1;
  if (!absl::SimpleAtoi(fields.second, &rank) || rank < 0 || rank >= kMaxVocabulary) {
    return absl::InvalidArgumentError(absl::StrCat("want BASE64 RANK with a rank in 0..",
                                                   kMaxVocabulary - 1, ", not ", Quoted(line)));
  }
  ASSIGN_OR_RETURN(std::string bytes, DecodeBase64(fields.first));
  if (bytes.empty() || bytes.size() > kMaxTokenBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("token of ", bytes.size(), " bytes; want 1..", kMaxTokenBytes));
  }
  return BytesAndId(std::move(bytes), rank);
}

}  // namespace

absl::StatusOr<std::vector<BytesAndId>> ReadTiktokenRanks(absl::string_view ranks) {
  std::vector<BytesAndId> tokens;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(ranks, '\n')) {
    ++number;
    if (line.empty()) continue;
    absl::StatusOr<BytesAndId> token = ReadLine(line);
    if (!token.ok()) return Annotate(token.status(), absl::StrCat("line ", number));
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

}  // namespace switchboard::text
