#include "text/template/text_ops.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "base/utf8.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/text_builder.h"

namespace switchboard::text::jinja {
namespace {

bool Strips(const CodePoints& c, std::optional<absl::string_view> chars) {
  return chars.has_value() ? absl::StrContains(*chars, c.bytes()) : IsSpace(c.value());
}

// The stretches of `text` without white space.
std::vector<ByteRange> Words(absl::string_view text, Budget* budget) {
  std::vector<ByteRange> words;
  bool inside = false;
  budget->SpendOnCharacters(text.size());
  for (CodePoints c(text); !c.done() && budget->ok(); c.Next()) {
    const bool space = IsSpace(c.value());
    if (!space && !inside) {
      budget->Spend(1);
      words.push_back({c.begin(), c.end()});
    }
    if (!space) words.back().end = c.end();
    inside = !space;
  }
  return words;
}

// The part behind (or before) the last split that is allowed keeps all its white space.
std::vector<ByteRange> SplitAtSpace(absl::string_view text, int64_t most, bool from_right,
                                    Budget* budget) {
  std::vector<ByteRange> words = Words(text, budget);
  const size_t limit = most < 0 ? SIZE_MAX : static_cast<size_t>(most) + 1;
  if (words.size() < limit || words.empty()) return words;
  if (from_right) {
    const auto rest = words.end() - static_cast<ptrdiff_t>(limit);
    rest->begin = 0;
    words.erase(words.begin(), rest);
  } else {
    words[limit - 1].end = text.size();
    words.resize(limit);
  }
  return words;
}

// The Final_Sigma rule: a capital sigma at the end of a word becomes ς.
bool EndsWord(absl::string_view text, size_t sigma_begin, size_t sigma_end) {
  bool cased_before = false;
  for (CodePoints c(text.substr(0, sigma_begin)); !c.done(); c.Next()) {
    if (!IsCaseIgnorable(c.value())) cased_before = IsCased(c.value());
  }
  CodePoints after(text.substr(sigma_end));
  while (!after.done() && IsCaseIgnorable(after.value())) after.Next();
  return cased_before && (after.done() || !IsCased(after.value()));
}

// As EndsWord() looks back over all of the text, only near text is given to it.
constexpr size_t kSigmaContext = 64;

std::u32string Lower(absl::string_view text, const CodePoints& c) {
  if (c.value() != U'Σ') return ToLower(c.value());
  size_t begin = c.begin() > kSigmaContext ? c.begin() - kSigmaContext : 0;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  const absl::string_view near = text.substr(begin, c.end() - begin + kSigmaContext);
  return EndsWord(near, c.begin() - begin, c.end() - begin) ? U"ς" : U"σ";
}

std::u32string Mapped(absl::string_view text, const CodePoints& c, Case to, bool in_word) {
  switch (to) {
    case Case::kUpper:
      return ToUpper(c.value());
    case Case::kLower:
      return Lower(text, c);
    case Case::kTitle:
      return in_word ? Lower(text, c) : ToTitle(c.value());
    case Case::kCapitalize:
      return c.begin() == 0 ? ToTitle(c.value()) : Lower(text, c);
    case Case::kSwap:
      return IsUpper(c.value())   ? Lower(text, c)
             : IsLower(c.value()) ? ToUpper(c.value())
                                  : std::u32string(1, c.value());
  }
  return {};
}

}  // namespace

ByteRange StripRange(absl::string_view text, std::optional<absl::string_view> chars, bool left,
                     bool right) {
  ByteRange kept = {left ? text.size() : 0, right ? 0 : text.size()};
  bool any = false;
  for (CodePoints c(text); !c.done(); c.Next()) {
    if (Strips(c, chars)) continue;
    if (left && !any) kept.begin = c.begin();
    if (right) kept.end = c.end();
    any = true;
  }
  if (!any) return {0, 0};
  return kept;
}

std::vector<ByteRange> SplitRanges(absl::string_view text,
                                   std::optional<absl::string_view> separator, int64_t most,
                                   bool from_right, Budget* budget) {
  if (!separator.has_value()) return SplitAtSpace(text, most, from_right, budget);
  const size_t limit = most < 0 ? SIZE_MAX : static_cast<size_t>(most);
  std::vector<ByteRange> parts;
  if (from_right) {
    size_t end = text.size();
    while (parts.size() < limit && end >= separator->size() && budget->Spend(1)) {
      const size_t at = text.rfind(*separator, end - separator->size());
      if (at == text.npos) break;
      parts.push_back({at + separator->size(), end});
      end = at;
    }
    parts.push_back({0, end});
    std::reverse(parts.begin(), parts.end());
    return parts;
  }
  size_t begin = 0;
  while (parts.size() < limit && budget->Spend(1)) {
    const size_t at = FindText(text, *separator, begin, budget);
    if (at == text.npos) break;
    parts.push_back({begin, at});
    begin = at + separator->size();
  }
  parts.push_back({begin, text.size()});
  return parts;
}

std::vector<ByteRange> LineRanges(absl::string_view text, bool keep_ends, Budget* budget) {
  std::vector<ByteRange> lines;
  size_t begin = 0;
  budget->SpendOnCharacters(text.size());
  for (CodePoints c(text); !c.done() && budget->ok();) {
    const size_t at = c.begin();
    const bool is_break = IsLineBreak(c.value()), is_return = c.value() == '\r';
    c.Next();
    if (!is_break) continue;
    if (is_return && !c.done() && c.value() == '\n') c.Next();
    budget->Spend(1);
    lines.push_back({begin, keep_ends ? c.begin() : at});
    begin = c.begin();
  }
  if (begin < text.size()) lines.push_back({begin, text.size()});
  return lines;
}

MarkedText ReplaceText(Runtime& runtime, const MarkedText& text, const MarkedText& old,
                       const MarkedText& with, int64_t most) {
  TextBuilder out(runtime.budget());
  const size_t limit = most < 0 ? SIZE_MAX : static_cast<size_t>(most);
  size_t copied = 0, done = 0;
  if (old.empty()) {  // before each character and at the end
    for (CodePoints c(text.text()); done < limit && runtime.budget()->Spend(1); c.Next(), ++done) {
      out.AppendSlice(text, copied, c.begin());
      out.Append(with);
      copied = c.begin();
      if (c.done()) break;
    }
  } else {
    for (; done < limit && runtime.budget()->Spend(1); ++done) {
      const size_t at = FindText(text.text(), old.text(), copied, runtime.budget());
      if (at == absl::string_view::npos) break;
      out.AppendSlice(text, copied, at);
      out.Append(with);
      copied = at + old.size();
    }
  }
  out.AppendSlice(text, copied, text.size());
  return out.Take();
}

MarkedText MapCase(Runtime& runtime, const MarkedText& text, Case to) {
  TextBuilder out(runtime.budget());
  const absl::string_view source = text.text();
  bool in_word = false;
  auto range = text.literal().begin();
  for (CodePoints c(source); !c.done() && runtime.budget()->ok(); c.Next()) {
    while (range != text.literal().end() && range->end <= c.begin()) ++range;
    const bool literal = range != text.literal().end() && range->begin <= c.begin();
    if (c.value() == U'Σ') runtime.budget()->SpendOnCharacters(2 * kSigmaContext);
    const std::u32string mapped = Mapped(source, c, to, in_word);
    in_word = IsCased(c.value());
    std::string bytes;
    for (const char32_t m : mapped) AppendUtf8(m, &bytes);
    out.Append(bytes, literal);
  }
  return out.Take();
}

MarkedText Part(Runtime& runtime, const MarkedText& text, const ByteRange& range) {
  TextBuilder part(runtime.budget());
  part.AppendSlice(text, range.begin, range.end);
  return part.Take();
}

std::vector<Value> Parts(Runtime& runtime, const MarkedText& text,
                         const std::vector<ByteRange>& ranges) {
  std::vector<Value> parts;
  parts.reserve(ranges.size());
  for (const ByteRange& range : ranges) {
    if (!runtime.budget()->ok()) break;
    parts.push_back(runtime.String(Part(runtime, text, range)));
  }
  return parts;
}

}  // namespace switchboard::text::jinja
