#include "text/template/word_wrap.h"

#include <algorithm>
#include <deque>

#include "text/template/code_points.h"

namespace switchboard::text::jinja {
namespace {

struct Chunk {
  ByteRange bytes;
  size_t length;  // code points
  bool space;
};

bool IsAsciiSpace(char32_t c) { return c == ' ' || (c >= 9 && c <= 13); }
bool IsWordPart(char32_t c) { return IsIdentifierPart(c) || IsNumeric(c); }
bool IsLetter(char32_t c) { return IsWordPart(c) && !IsDecimal(c); }

// Whether a word may be broken behind the hyphen at `i`: between two parts of at least two
// characters that meet it with letters.
bool BreaksBehind(const std::vector<char32_t>& text, size_t i) {
  if (text[i] != '-' || i < 2 || i + 2 >= text.size()) return false;
  return IsWordPart(text[i - 2]) && IsLetter(text[i - 1]) && IsWordPart(text[i + 1]) &&
         IsLetter(text[i + 2]);
}

// Words, parts of hyphenated words, and the white space between them.
std::deque<Chunk> Chunks(absl::string_view line, bool break_on_hyphens, Budget* budget) {
  std::vector<char32_t> text;
  std::vector<size_t> starts;
  for (CodePoints c(line); !c.done() && budget->Spend(1); c.Next()) {
    text.push_back(c.value());
    starts.push_back(c.begin());
  }
  starts.push_back(line.size());
  std::deque<Chunk> chunks;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool space = IsAsciiSpace(text[i]);
    const bool joins = !chunks.empty() && chunks.back().space == space &&
                       !(break_on_hyphens && BreaksBehind(text, i - 1));
    if (!joins) chunks.push_back({{starts[i], starts[i]}, 0, space});
    chunks.back().bytes.end = starts[i + 1];
    ++chunks.back().length;
  }
  return chunks;
}

// Where a chunk that is longer than `room` is cut, in code points.
size_t CutOf(absl::string_view chunk, size_t room, bool break_on_hyphens) {
  if (!break_on_hyphens) return room;
  size_t cut = room, position = 0;
  bool other_before = false;
  for (CodePoints c(chunk); !c.done() && position < room; c.Next(), ++position) {
    if (c.value() == '-' && position > 0 && other_before) cut = position + 1;
    other_before |= c.value() != '-';
  }
  return cut;
}

}  // namespace

std::vector<ByteRange> WrapLine(absl::string_view line, const WrapRules& rules, Budget* budget) {
  std::deque<Chunk> chunks = Chunks(line, rules.break_on_hyphens, budget);
  std::vector<ByteRange> lines;
  while (!chunks.empty() && budget->Spend(1)) {
    if (chunks.front().space && !lines.empty()) chunks.pop_front();
    std::vector<Chunk> current;
    size_t length = 0;
    while (!chunks.empty() && length + chunks.front().length <= rules.width) {
      length += chunks.front().length;
      current.push_back(chunks.front());
      chunks.pop_front();
    }
    if (!chunks.empty() && chunks.front().length > rules.width) {
      Chunk& next = chunks.front();
      if (rules.break_long_words) {
        const absl::string_view bytes =
            line.substr(next.bytes.begin, next.bytes.end - next.bytes.begin);
        const size_t cut = CutOf(bytes, rules.width - length, rules.break_on_hyphens);
        const size_t at = next.bytes.begin + ByteOfCodePoint(bytes, cut);
        // textwrap takes a cut of nothing for the white space that it drops at the end of a line.
        current.push_back({{next.bytes.begin, at}, cut, next.space || cut == 0});
        next.bytes.begin = at;
        next.length -= cut;
      } else if (current.empty()) {
        current.push_back(next);
        chunks.pop_front();
      }
    }
    if (!current.empty() && current.back().space) current.pop_back();
    if (!current.empty()) lines.push_back({current.front().bytes.begin, current.back().bytes.end});
  }
  return lines;
}

}  // namespace switchboard::text::jinja
