// Builds a string piece by piece within the budget: once that is used up, nothing is added any
// more. Every builtin that makes text goes through here, so no text can outgrow the limits.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_TEXT_BUILDER_H_
#define SWITCHBOARD_TEXT_TEMPLATE_TEXT_BUILDER_H_

#include <cstddef>
#include <utility>

#include "absl/strings/string_view.h"
#include "text/marked_text.h"
#include "text/template/budget.h"

namespace switchboard::text::jinja {

class TextBuilder {
 public:
  explicit TextBuilder(Budget* budget) : budget_(budget) {}
  ~TextBuilder() { budget_->Release(held_); }
  TextBuilder(const TextBuilder&) = delete;
  TextBuilder& operator=(const TextBuilder&) = delete;

  void AppendData(absl::string_view text) { Append(text, false); }
  void Append(absl::string_view text, bool literal);
  void Append(const MarkedText& text) { AppendSlice(text, 0, text.size()); }
  // Bytes [begin, end) of `text` with their marks.
  void AppendSlice(const MarkedText& text, size_t begin, size_t end);
  // The same, `times` times.
  void AppendRepeated(const MarkedText& text, size_t times);

  // Whether the budget is used up, so that nothing is added any more.
  bool full() const { return !budget_->ok(); }
  Budget* budget() const { return budget_; }
  size_t size() const { return text_.size(); }
  const MarkedText& text() const { return text_; }
  // What was built; the builder is used up.
  MarkedText Take() { return std::move(text_); }

 private:
  Budget* const budget_;
  size_t held_ = 0;
  MarkedText text_;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_TEXT_BUILDER_H_
