#include "text/tokenizer/tokenizer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "text/tokenizer/tokenizer_parts.h"

namespace switchboard::text {
namespace {

// `text` with U+FFFD for what is not UTF-8, marked as the bytes that it replaces.
MarkedText Repaired(const MarkedText& marked) {
  MarkedText out;
  const absl::string_view text = marked.text();
  for (size_t at = 0; at < text.size();) {
    const Utf8Unit unit = DecodeUtf8(text.substr(at));
    const bool good = unit.kind == Utf8Unit::kCodePoint;
    out.Append(good ? text.substr(at, unit.bytes) : kReplacementCharacter,
               marked.IsLiteral(at, at + unit.bytes));
    at += unit.bytes;
  }
  return out;
}

// Slots of the cache of pieces, as a power of two, for a text of so many bytes: none for a text
// that is encoded sooner than a cache is filled, at most 1 MiB of slots.
int CacheBits(size_t bytes) {
  return bytes < 2048 ? 0 : std::min(15, static_cast<int>(std::bit_width(bytes / 16)));
}

}  // namespace

struct Tokenizer::Scratch {
  PreTokenizer::Pieces pieces;
  Bpe::Scratch bpe;
  std::vector<AddedTokenPiece> normalized_pieces;
};

Tokenizer::Tokenizer(TokenizerParts parts)
    : parts_(std::make_unique<const TokenizerParts>(std::move(parts))) {}

Tokenizer::~Tokenizer() = default;

std::vector<int32_t> Tokenizer::Encode(const MarkedText& text, bool add_special_tokens) const {
  CHECK(text.size() < size_t{1} << 30);
  MarkedText repaired;
  const bool valid = IsValidUtf8(text.text());
  if (!valid) repaired = Repaired(text);
  const MarkedText& source = valid ? text : repaired;

  std::vector<int32_t> ids;
  ids.reserve(source.size() / 3 + 8);
  if (add_special_tokens) ids = parts_->prefix;
  std::vector<AddedTokenPiece> pieces;
  parts_->raw_tokens.Cut(source, {0, source.size()}, &pieces);
  Scratch scratch;
  scratch.bpe.cache.Reset(CacheBits(source.size()));
  for (const AddedTokenPiece& piece : pieces) {
    if (piece.id == AddedTokenPiece::kText) {
      EncodeSegment(source, piece.range, &scratch, &ids);
    } else {
      ids.push_back(piece.id);
    }
  }
  if (add_special_tokens) ids.insert(ids.end(), parts_->suffix.begin(), parts_->suffix.end());
  return ids;
}

std::vector<int32_t> Tokenizer::EncodePrompt(const MarkedText& text) const {
  std::vector<int32_t> ids = Encode(text, /*add_special_tokens=*/true);
  const std::vector<int32_t>& prefix = parts_->prefix;
  const auto own = ids.begin() + static_cast<ptrdiff_t>(prefix.size());
  if (static_cast<size_t>(ids.end() - own) >= prefix.size() &&
      std::equal(prefix.begin(), prefix.end(), own)) {
    ids.erase(ids.begin(), own);
  }
  return ids;
}

void Tokenizer::EncodeSegment(const MarkedText& text, ByteRange segment, Scratch* scratch,
                              std::vector<int32_t>* ids) const {
  if (parts_->normalizer.IsIdentity()) {
    EncodeNormalized(text, segment, segment.begin == 0, scratch, ids);
    return;
  }
  MarkedText normalized;
  if (parts_->normalized_tokens.has_special()) {
    normalized = parts_->normalizer.ApplyMarked(text.Slice(segment.begin, segment.end));
  } else {
    // Nothing that is still to be found asks for the marks.
    const absl::string_view all = text.text();
    normalized = MarkedText::Data(
        parts_->normalizer.Apply(all.substr(segment.begin, segment.end - segment.begin)));
  }
  EncodeNormalized(normalized, {0, normalized.size()}, segment.begin == 0, scratch, ids);
}

void Tokenizer::EncodeNormalized(const MarkedText& text, ByteRange within, bool at_start,
                                 Scratch* scratch, std::vector<int32_t>* ids) const {
  const absl::string_view all = text.text();
  if (parts_->normalized_tokens.empty()) {
    EncodePieces(all.substr(within.begin, within.end - within.begin), at_start, scratch, ids);
    return;
  }
  std::vector<AddedTokenPiece>& pieces = scratch->normalized_pieces;
  pieces.clear();
  parts_->normalized_tokens.Cut(text, within, &pieces);
  for (const AddedTokenPiece& piece : pieces) {
    if (piece.id == AddedTokenPiece::kText) {
      EncodePieces(all.substr(piece.range.begin, piece.range.end - piece.range.begin),
                   at_start && piece.range.begin == within.begin, scratch, ids);
    } else {
      ids->push_back(piece.id);
    }
  }
}

void Tokenizer::EncodePieces(absl::string_view text, bool at_start, Scratch* scratch,
                             std::vector<int32_t>* ids) const {
  parts_->pre_tokenizer.Cut(text, at_start, &scratch->pieces);
  for (size_t i = 0; i < scratch->pieces.size(); ++i) {
    parts_->bpe.Encode(scratch->pieces[i], &scratch->bpe, ids);
  }
}

std::string Tokenizer::Decode(absl::Span<const int32_t> ids, bool skip_special) const {
  std::string bytes;
  bool at_start = true;
  for (const int32_t id : ids) {
    if (!skip_special || !IsSpecial(id)) AppendToText(id, &at_start, &bytes);
  }
  return IsValidUtf8(bytes) ? bytes : ReplaceInvalidUtf8(bytes);
}

void Tokenizer::AppendToText(int32_t id, bool* at_start, std::string* bytes) const {
  absl::string_view token = TokenBytes(id);
  std::string bare;
  if (*at_start && parts_->vocabulary.Has(id)) {
    switch (parts_->decoder.lead) {
      case TokenDecoder::Lead::kKept:
        *at_start = false;
        break;
      case TokenDecoder::Lead::kSpaceDropped:
        if (token.empty()) break;
        *at_start = false;
        if (token.front() == ' ') token.remove_prefix(1);
        break;
      case TokenDecoder::Lead::kBareToken:
        *at_start = false;
        bare = parts_->decoder.BareBytesOf(parts_->vocabulary.Text(id));
        token = bare;
        break;
    }
  }
  bytes->append(token.data(), token.size());
}

int Tokenizer::vocab_size() const { return parts_->vocabulary.size(); }

absl::optional<int32_t> Tokenizer::TokenId(absl::string_view text) const {
  return parts_->vocabulary.Find(text);
}

bool Tokenizer::IsSpecial(int32_t id) const { return parts_->vocabulary.IsSpecial(id); }

absl::string_view Tokenizer::TokenBytes(int32_t id) const { return parts_->vocabulary.Bytes(id); }

}  // namespace switchboard::text
