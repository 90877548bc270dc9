// Text that remembers where each byte came from: written by a chat template, or by a person. Only
// template text may become control tokens, so nobody can write `<|user|>` into a message and open a
// turn.
#ifndef SWITCHBOARD_TEXT_MARKED_TEXT_H_
#define SWITCHBOARD_TEXT_MARKED_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace switchboard::text {

// Bytes [begin, end) of a text.
struct ByteRange {
  size_t begin = 0, end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// A value type; not thread-safe for writing.
class MarkedText {
 public:
  MarkedText() = default;
  // All of `text` literal (template text), or all of it data.
  static MarkedText Literal(absl::string_view text);
  static MarkedText Data(absl::string_view text);

  const std::string& text() const { return text_; }
  size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  // The literal bytes: sorted, disjoint, not empty, maximal.
  const std::vector<ByteRange>& literal() const { return literal_; }
  // Whether all bytes of [begin, end) are literal.
  bool IsLiteral(size_t begin, size_t end) const;

  void Append(absl::string_view text, bool literal);
  void Append(const MarkedText& other);
  // Bytes [begin, end), marks included. REQUIRES: begin <= end <= size().
  MarkedText Slice(size_t begin, size_t end) const;

 private:
  std::string text_;
  std::vector<ByteRange> literal_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_MARKED_TEXT_H_
