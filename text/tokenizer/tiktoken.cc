// Tokenizer::FromTiktoken: vocabularies as lines `BASE64 RANK`.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "text/tokenizer/tiktoken_ranks.h"
#include "text/tokenizer/tokenizer.h"
#include "text/tokenizer/tokenizer_parts.h"

namespace switchboard::text {
namespace {

absl::StatusOr<TokenizerParts> ReadTiktoken(absl::string_view ranks, const TiktokenSetup& setup) {
  ASSIGN_OR_RETURN(const std::vector<BytesAndId> tokens, ReadTiktokenRanks(ranks));
  Vocabulary vocabulary;
  for (const auto& [bytes, id] : tokens) {
    RETURN_IF_ERROR(Annotate(vocabulary.Add(id, bytes, bytes), absl::StrCat("rank ", id)));
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
    if (token.special) vocabulary.MarkSpecial(token.id);
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
