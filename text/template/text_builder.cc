#include "text/template/text_builder.h"

#include <algorithm>

namespace switchboard::text::jinja {
void TextBuilder::Append(absl::string_view text, bool literal) {
  budget_->Hold(text.size());
  held_ += text.size();
  if (!budget_->SpendOnBytes(text.size())) return;
  text_.Append(text, literal);
}

void TextBuilder::AppendSlice(const MarkedText& source, size_t begin, size_t end) {
  const absl::string_view bytes = source.text();
  auto range = std::lower_bound(source.literal().begin(), source.literal().end(), begin,
                                [](const ByteRange& r, size_t at) { return r.end <= at; });
  while (begin < end) {
    const bool inside = range != source.literal().end() && range->begin <= begin;
    const size_t mark_end = range == source.literal().end() ? end
                            : inside                        ? range->end
                                                            : range->begin;
    const size_t piece_end = std::min(end, mark_end);
    Append(bytes.substr(begin, piece_end - begin), inside);
    begin = piece_end;
    if (inside) ++range;
  }
}

void TextBuilder::AppendRepeated(const MarkedText& text, size_t times) {
  if (text.empty()) return;
  for (size_t i = 0; i < times && budget_->Spend(1); ++i) Append(text);
}

}  // namespace switchboard::text::jinja
