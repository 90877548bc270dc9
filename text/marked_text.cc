#include "text/marked_text.h"

#include <algorithm>

#include "base/check.h"

namespace switchboard::text {

MarkedText MarkedText::Literal(absl::string_view text) {
  MarkedText result;
  result.Append(text, true);
  return result;
}

MarkedText MarkedText::Data(absl::string_view text) {
  MarkedText result;
  result.Append(text, false);
  return result;
}

bool MarkedText::IsLiteral(size_t begin, size_t end) const {
  // The last range that starts at or before `begin` is the only one that can hold it.
  auto after = std::upper_bound(literal_.begin(), literal_.end(), begin,
                                [](size_t at, const ByteRange& range) { return at < range.begin; });
  return begin >= end || (after != literal_.begin() && std::prev(after)->end >= end);
}

void MarkedText::Append(absl::string_view text, bool literal) {
  if (text.empty()) return;
  const size_t begin = text_.size();
  text_.append(text.data(), text.size());
  if (!literal) return;
  if (!literal_.empty() && literal_.back().end == begin) {
    literal_.back().end = text_.size();
  } else {
    literal_.push_back({begin, text_.size()});
  }
}

void MarkedText::Append(const MarkedText& other) {
  size_t at = 0;
  const MarkedText copy = other;  // `other` may be this very text
  for (const ByteRange& range : copy.literal_) {
    Append(absl::string_view(copy.text_).substr(at, range.begin - at), false);
    Append(absl::string_view(copy.text_).substr(range.begin, range.end - range.begin), true);
    at = range.end;
  }
  Append(absl::string_view(copy.text_).substr(at), false);
}

MarkedText MarkedText::Slice(size_t begin, size_t end) const {
  CHECK(begin <= end && end <= text_.size());
  MarkedText result;
  result.text_ = text_.substr(begin, end - begin);
  for (const ByteRange& range : literal_) {
    const size_t from = std::max(range.begin, begin), to = std::min(range.end, end);
    if (from < to) result.literal_.push_back({from - begin, to - begin});
  }
  return result;
}

}  // namespace switchboard::text
