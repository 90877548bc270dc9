#include "text/tokenizer/pre_tokenizer.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/utf8.h"

namespace switchboard::text {
namespace {

void Keep(size_t begin, size_t end, bool kept, std::vector<ByteRange>* ranges) {
  if (kept && begin < end) ranges->push_back({begin, end});
}

// Cuts `whole`, a piece that starts at byte `offset`. An empty match separates what stands on its
// two sides.
void CutPiece(absl::string_view whole, size_t offset, const SplitStage& stage,
              MatchScratch* scratch, std::vector<ByteRange>* ranges) {
  size_t done = 0, from = 0;
  while (from < whole.size()) {
    const absl::optional<ByteRange> match = stage.pattern.Find(whole, from, scratch);
    if (!match.has_value()) break;
    Keep(offset + done, offset + match->begin, stage.keep_gaps, ranges);
    Keep(offset + match->begin, offset + match->end, stage.keep_matches, ranges);
    done = from = match->end;
    if (match->begin == match->end && from < whole.size()) {
      from += DecodeUtf8(whole.substr(from)).bytes;
    }
  }
  Keep(offset + done, offset + whole.size(), stage.keep_gaps, ranges);
}

}  // namespace

PreTokenizer::PreTokenizer(std::vector<SplitStage> stages, bool prefix_space,
                           std::vector<SplitStage> after_prefix)
    : stages_(std::move(stages)),
      prefix_space_(prefix_space),
      after_prefix_(std::move(after_prefix)) {}

PreTokenizer::PreTokenizer(std::vector<SplitStage> stages, Metaspace metaspace)
    : stages_(std::move(stages)), prefix_space_(false), metaspace_(std::move(metaspace)) {}

void PreTokenizer::Cut(absl::string_view text, bool at_start, Pieces* pieces) const {
  pieces->text_ = text;
  pieces->ranges_.clear();
  if (text.empty()) return;
  pieces->ranges_.push_back({0, text.size()});
  for (const SplitStage& stage : stages_) Apply(stage, pieces);
  if (prefix_space_) PrefixSpaces(pieces);
  for (const SplitStage& stage : after_prefix_) Apply(stage, pieces);
  if (metaspace_.has_value()) ApplyMetaspace(at_start, pieces);
}

void PreTokenizer::Apply(const SplitStage& stage, Pieces* pieces) {
  pieces->previous_.swap(pieces->ranges_);
  pieces->ranges_.clear();
  for (const ByteRange& range : pieces->previous_) {
    CutPiece(pieces->text_.substr(range.begin, range.end - range.begin), range.begin, stage,
             &pieces->match_, &pieces->ranges_);
  }
}

void PreTokenizer::PrefixSpaces(Pieces* pieces) {
  std::string spaced;
  for (ByteRange& range : pieces->ranges_) {
    const absl::string_view piece = pieces->text_.substr(range.begin, range.end - range.begin);
    const size_t begin = spaced.size();
    if (piece.front() != ' ') spaced.push_back(' ');
    spaced.append(piece.data(), piece.size());
    range = {begin, spaced.size()};
  }
  pieces->rewritten_ = std::move(spaced);
  pieces->text_ = pieces->rewritten_;
}

void PreTokenizer::ApplyMetaspace(bool at_start, Pieces* pieces) const {
  const std::string& mark = metaspace_->replacement;
  std::string rewritten;
  pieces->previous_.swap(pieces->ranges_);
  pieces->ranges_.clear();
  for (const ByteRange& range : pieces->previous_) {
    const absl::string_view piece = pieces->text_.substr(range.begin, range.end - range.begin);
    const bool asked =
        metaspace_->prepend == Metaspace::Prepend::kAlways ||
        (metaspace_->prepend == Metaspace::Prepend::kFirst && at_start && range.begin == 0);
    size_t begin = rewritten.size();
    if (asked && piece.front() != ' ' && !absl::StartsWith(piece, mark)) rewritten.append(mark);
    size_t at = rewritten.size();
    absl::StrAppend(&rewritten, absl::StrReplaceAll(piece, {{" ", mark}}));
    while (metaspace_->split && (at = rewritten.find(mark, at)) != rewritten.npos) {
      Keep(begin, at, /*kept=*/true, &pieces->ranges_);
      begin = at;
      at += mark.size();
    }
    Keep(begin, rewritten.size(), /*kept=*/true, &pieces->ranges_);
  }
  pieces->rewritten_ = std::move(rewritten);
  pieces->text_ = pieces->rewritten_;
}

}  // namespace switchboard::text
