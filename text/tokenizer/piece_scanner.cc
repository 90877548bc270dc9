#include "text/tokenizer/piece_scanner.h"

#include <unicode/uchar.h>

#include <array>
#include <cstdint>

#include "base/utf8.h"
#include "text/tokenizer/known_patterns.h"

namespace switchboard::text {
namespace {

// What the patterns tell apart: \p{L}, \p{N}, [\r\n], the rest of \s, everything else.
enum class Kind : uint8_t { kLetter, kNumber, kNewline, kSpace, kOther };

Kind KindByProperties(UChar32 c) {
  if (c == '\r' || c == '\n') return Kind::kNewline;
  if (u_isUWhiteSpace(c)) return Kind::kSpace;
  const uint32_t category = U_GET_GC_MASK(c);
  if ((category & U_GC_L_MASK) != 0) return Kind::kLetter;
  if ((category & U_GC_N_MASK) != 0) return Kind::kNumber;
  return Kind::kOther;
}

constexpr size_t kTabled = 0x10000;

const std::array<Kind, kTabled>& Kinds() {
  static const std::array<Kind, kTabled>& kinds = *[] {
    auto* table = new std::array<Kind, kTabled>;
    for (size_t c = 0; c < kTabled; ++c) (*table)[c] = KindByProperties(static_cast<UChar32>(c));
    return table;
  }();
  return kinds;
}

// A text from some place on.
class Cursor {
 public:
  Cursor(absl::string_view text, size_t at) : kinds_(Kinds()), text_(text), at_(at) { Look(); }

  bool at_end() const { return bytes_ == 0; }
  size_t at() const { return at_; }
  Kind kind() const { return kind_; }
  bool Is(Kind kind) const { return bytes_ != 0 && kind_ == kind; }
  bool IsWhite() const { return Is(Kind::kSpace) || Is(Kind::kNewline); }
  void Next() {
    at_ += bytes_;
    Look();
  }
  void SkipAll(Kind kind) {
    while (Is(kind)) Next();
  }

 private:
  void Look() {
    if (at_ >= text_.size()) {
      bytes_ = 0;
      return;
    }
    const unsigned char first = static_cast<unsigned char>(text_[at_]);
    if (first < 0x80) {
      bytes_ = 1;
      kind_ = kinds_[first];
      return;
    }
    const Utf8Unit unit = DecodeUtf8(text_.substr(at_));
    bytes_ = unit.bytes;
    kind_ = unit.code_point < kTabled ? kinds_[unit.code_point]
                                      : KindByProperties(static_cast<UChar32>(unit.code_point));
  }

  const std::array<Kind, kTabled>& kinds_;
  const absl::string_view text_;
  size_t at_, bytes_ = 0;
  Kind kind_ = Kind::kOther;
};

// Bytes of 's|'t|'re|'ve|'m|'ll|'d at `at`, where an apostrophe stands; 0 when it is none of them.
size_t ContractionBytes(absl::string_view text, size_t at, bool ignore_case) {
  const auto letter = [&](size_t i) {
    const char c = i < text.size() ? text[i] : '\0';
    return ignore_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  };
  const char first = letter(at + 1), second = letter(at + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  if (first == 'l' && second == 'l') return 3;
  // U+017F is the one other character whose case folds to one of these letters: s.
  if (ignore_case && text.substr(at + 1, 2) == "\xC5\xBF") return 3;
  return 0;
}

// \s+(?!\S)|\s+ from the white space at `cursor` on: all of the run, less its last character when
// something follows and it has more than one.
size_t WhiteEnd(Cursor cursor) {
  const size_t begin = cursor.at();
  size_t last = begin;
  while (cursor.IsWhite()) {
    last = cursor.at();
    cursor.Next();
  }
  return cursor.at_end() || last == begin ? cursor.at() : last;
}

size_t Gpt2End(absl::string_view text, size_t at) {
  if (text[at] == '\'') {
    if (const size_t bytes = ContractionBytes(text, at, false); bytes > 0) return at + bytes;
  }
  Cursor cursor(text, at);
  if (text[at] == ' ') {
    cursor.Next();
    if (cursor.at_end() || cursor.IsWhite()) return WhiteEnd(Cursor(text, at));
  } else if (cursor.IsWhite()) {
    return WhiteEnd(cursor);
  }
  cursor.SkipAll(cursor.kind());
  return cursor.at();
}

// \s*[\r\n]+|\s+(?!\S)|\s+: to the last line end of the run of white space, where it has one.
size_t Cl100kWhiteEnd(const Cursor& start) {
  size_t line_end = 0;
  for (Cursor cursor = start; cursor.IsWhite();) {
    const bool newline = cursor.Is(Kind::kNewline);
    cursor.Next();
    if (newline) line_end = cursor.at();
  }
  return line_end > 0 ? line_end : WhiteEnd(start);
}

size_t Cl100kEnd(absl::string_view text, size_t at, int max_digits) {
  if (text[at] == '\'') {
    if (const size_t bytes = ContractionBytes(text, at, true); bytes > 0) return at + bytes;
  }
  Cursor cursor(text, at);
  if (cursor.Is(Kind::kNumber)) {
    for (int digits = 0; digits < max_digits && cursor.Is(Kind::kNumber); ++digits) cursor.Next();
    return cursor.at();
  }
  // A letter, or any one character but a line end or a number before letters.
  if (!cursor.Is(Kind::kNewline)) {
    Cursor word = cursor;
    if (!word.Is(Kind::kLetter)) word.Next();
    if (word.Is(Kind::kLetter)) {
      word.SkipAll(Kind::kLetter);
      return word.at();
    }
  }
  Cursor others = cursor;
  if (text[at] == ' ') others.Next();
  if (others.Is(Kind::kOther)) {
    others.SkipAll(Kind::kOther);
    others.SkipAll(Kind::kNewline);
    return others.at();
  }
  return Cl100kWhiteEnd(cursor);
}

}  // namespace

absl::optional<PieceScanner> PieceScanner::For(absl::string_view regex) {
  if (regex == kGpt2Pattern) return PieceScanner(Family::kGpt2, 0);
  if (regex == kCl100kPattern) return PieceScanner(Family::kCl100k, 3);
  if (regex == kQwen2Pattern) return PieceScanner(Family::kCl100k, 1);
  return absl::nullopt;
}

size_t PieceScanner::PieceEnd(absl::string_view text, size_t at) const {
  return family_ == Family::kGpt2 ? Gpt2End(text, at) : Cl100kEnd(text, at, max_digits_);
}

}  // namespace switchboard::text
