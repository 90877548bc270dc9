// Tokenizer::FromTiktoken: vocabularies as lines `BASE64 RANK`.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/base64.h"
#include "base/status_macros.h"
#include "text/tokenizer/tokenizer.h"
#include "text/tokenizer/tokenizer_parts.h"

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

absl::StatusOr<TokenizerParts> ReadTiktoken(absl::string_view ranks, const TiktokenSetup& setup) {
  std::vector<BytesAndId> tokens;
  Vocabulary vocabulary;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(ranks, '\n')) {
    ++number;
    if (line.empty()) continue;
    absl::StatusOr<BytesAndId> token = ReadLine(line);
    if (!token.ok()) return Annotate(token.status(), absl::StrCat("line ", number));
    RETURN_IF_ERROR(Annotate(vocabulary.Add(token->second, token->first, token->first),
                             absl::StrCat("line ", number)));
    tokens.push_back(*std::move(token));
  }
  BpeOptions options;
  options.ignore_merges = true;
  options.byte_ids.fill(-1);
  for (const auto& [bytes, id] : tokens) {
    if (bytes.size() == 1) options.byte_ids[static_cast<unsigned char>(bytes[0])] = id;
  }
  const auto missing = std::find(options.byte_ids.begin(), options.byte_ids.end(), -1);
  if (missing != options.byte_ids.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("byte ", missing - options.byte_ids.begin(), " has no rank"));
  }
  for (const AddedToken& token : setup.special_tokens) {
    RETURN_IF_ERROR(Annotate(vocabulary.Add(token.id, token.text, token.text), "special token"));
    vocabulary.MarkSpecial(token.id);
  }
  ASSIGN_OR_RETURN(SplitPattern pattern, SplitPattern::Compile(setup.pattern));
  std::vector<SplitStage> stages;
  stages.push_back(SplitStage{std::move(pattern)});
  return TokenizerParts{.raw_tokens = AddedTokenMatcher(setup.special_tokens),
                        .normalizer = setup.normalizer,
                        .normalized_tokens = AddedTokenMatcher({}),
                        .pre_tokenizer = PreTokenizer(std::move(stages), false, {}),
                        .bpe = Bpe(options, MergesByRank(tokens), tokens),
                        .prefix = {},
                        .suffix = {},
                        .vocabulary = std::move(vocabulary),
                        .decoder = {}};
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Tokenizer>> Tokenizer::FromTiktoken(
    absl::string_view ranks, const TiktokenSetup& setup) {
  absl::StatusOr<TokenizerParts> parts = ReadTiktoken(ranks, setup);
  if (!parts.ok()) return Annotate(parts.status(), "tiktoken file");
  return std::make_unique<const Tokenizer>(*std::move(parts));
}

}  // namespace switchboard::text
