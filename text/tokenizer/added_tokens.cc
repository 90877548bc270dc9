#include "text/tokenizer/added_tokens.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "base/utf8.h"

namespace switchboard::text {
namespace {

bool IsSpace(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)); }

// Regular expressions' \w (UTS 18, Annex C).
bool IsWordCharacter(char32_t c) {
  const UChar32 code_point = static_cast<UChar32>(c);
  constexpr uint32_t kMarksDigitsConnectors = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_hasBinaryProperty(code_point, UCHAR_ALPHABETIC) ||
         (U_GET_GC_MASK(code_point) & kMarksDigitsConnectors) != 0 ||
         u_hasBinaryProperty(code_point, UCHAR_JOIN_CONTROL);
}

// Start of the last character of `text`, which is not empty.
size_t LastCharacter(absl::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

bool EndsInWord(absl::string_view text) {
  return !text.empty() && IsWordCharacter(DecodeUtf8(text.substr(LastCharacter(text))).code_point);
}

bool BeginsWithWord(absl::string_view text) {
  return !text.empty() && IsWordCharacter(DecodeUtf8(text).code_point);
}

// Where the white space at the end of `text` begins.
size_t TrailingSpace(absl::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    const size_t last = LastCharacter(text.substr(0, end));
    if (!IsSpace(DecodeUtf8(text.substr(last)).code_point)) break;
    end = last;
  }
  return end;
}

// Where the white space at the start of `text` ends.
size_t LeadingSpace(absl::string_view text) {
  size_t end = 0;
  while (end < text.size()) {
    const Utf8Unit unit = DecodeUtf8(text.substr(end));
    if (!IsSpace(unit.code_point)) break;
    end += unit.bytes;
  }
  return end;
}

// The first place strictly inside [begin, end) where literal text and data meet; `end` when there
// is none.
size_t SeamWithin(const MarkedText& text, size_t begin, size_t end) {
  const std::vector<ByteRange>& literal = text.literal();
  const auto range =
      std::upper_bound(literal.begin(), literal.end(), begin,
                       [](size_t at, const ByteRange& candidate) { return at < candidate.end; });
  if (range == literal.end()) return end;
  return std::min(end, range->begin > begin ? range->begin : range->end);
}

}  // namespace

AddedTokenMatcher::AddedTokenMatcher(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  for (size_t i = 0; i < tokens_.size(); ++i) {
    Insert(tokens_[i].text, static_cast<int32_t>(i));
    has_special_ = has_special_ || tokens_[i].special;
  }
}

void AddedTokenMatcher::Insert(const std::string& text, int32_t token) {
  uint32_t node = 0;
  for (const char byte : text) {
    uint32_t& next =
        node == 0 ? first_[static_cast<unsigned char>(byte)] : edges_[Edge(node, byte)];
    if (next == 0) {
      next = static_cast<uint32_t>(nodes_.size());
      nodes_.emplace_back();
    }
    node = next;
  }
  if (node != 0 && nodes_[node].token < 0) nodes_[node].token = token;
}

void AddedTokenMatcher::FindAt(absl::string_view text, size_t at,
                               std::vector<Candidate>* found) const {
  found->clear();
  uint32_t node = first_[static_cast<unsigned char>(text[at])];
  while (node != 0) {
    ++at;
    if (nodes_[node].token >= 0) found->push_back({nodes_[node].token, at});
    if (at == text.size()) return;
    const auto edge = edges_.find(Edge(node, text[at]));
    node = edge == edges_.end() ? 0 : edge->second;
  }
}

AddedTokenMatcher::Decision AddedTokenMatcher::Decide(const MarkedText& text, size_t at,
                                                      ByteRange within,
                                                      const std::vector<Candidate>& found) const {
  size_t seam = 0;
  for (size_t i = found.size(); i-- > 0;) {
    const AddedToken& token = tokens_[static_cast<size_t>(found[i].token)];
    const size_t end = found[i].end;
    if (token.special && !text.IsLiteral(at, end)) {
      seam = SeamWithin(text, at, end);
      if (seam == end) return {nullptr, end};  // all data
      continue;                                // in part: maybe a shorter one is whole
    }
    const absl::string_view all = text.text();
    if (token.single_word && (EndsInWord(all.substr(within.begin, at - within.begin)) ||
                              BeginsWithWord(all.substr(end, within.end - end)))) {
      return {nullptr, end};
    }
    return {&token, end};
  }
  return {nullptr, seam};
}

void AddedTokenMatcher::Cut(const MarkedText& text, ByteRange within,
                            std::vector<AddedTokenPiece>* pieces) const {
  const absl::string_view all = text.text();
  std::vector<Candidate> found;
  size_t done = within.begin;  // everything before it is in `pieces`
  for (size_t at = within.begin; at < within.end;) {
    FindAt(all.substr(0, within.end), at, &found);
    if (found.empty()) {
      ++at;
      continue;
    }
    const Decision decision = Decide(text, at, within, found);
    if (decision.token != nullptr) {
      size_t begin = at, end = decision.next;
      if (decision.token->lstrip) begin = done + TrailingSpace(all.substr(done, at - done));
      if (decision.token->rstrip) end += LeadingSpace(all.substr(end, within.end - end));
      if (done < begin) pieces->push_back({{done, begin}});
      pieces->push_back({{begin, end}, decision.token->id});
      at = done = end;
    } else {
      at = decision.next;
    }
  }
  if (done < within.end) pieces->push_back({{done, within.end}});
}

}  // namespace switchboard::text
