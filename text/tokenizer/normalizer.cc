#include "text/tokenizer/normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "base/check.h"
#include "base/utf8.h"

namespace switchboard::text {
namespace {

icu::StringPiece ToIcu(absl::string_view text) {
  return icu::StringPiece(text.data(), static_cast<int32_t>(text.size()));
}

// ICU's own data, which the library carries: getting it cannot fail.
const icu::Normalizer2& Instance(Normalizer::Form form) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* instance = nullptr;
  switch (form) {
    case Normalizer::Form::kNfc:
      instance = icu::Normalizer2::getNFCInstance(error);
      break;
    case Normalizer::Form::kNfd:
      instance = icu::Normalizer2::getNFDInstance(error);
      break;
    case Normalizer::Form::kNfkc:
      instance = icu::Normalizer2::getNFKCInstance(error);
      break;
    case Normalizer::Form::kNfkd:
      instance = icu::Normalizer2::getNFKDInstance(error);
      break;
    case Normalizer::Form::kLowercase:
      break;
  }
  CHECK(U_SUCCESS(error) && instance != nullptr);
  return *instance;
}

void AppendLowercase(absl::string_view text, std::string* out) {
  while (!text.empty()) {
    const Utf8Unit unit = DecodeUtf8(text);
    if (unit.code_point == 0x130) {
      out->append("i\xCC\x87");  // the only character whose lower case is two: i, U+0307
    } else {
      AppendUtf8(static_cast<char32_t>(u_tolower(static_cast<UChar32>(unit.code_point))), out);
    }
    text.remove_prefix(unit.bytes);
  }
}

std::string ApplyForm(Normalizer::Form form, absl::string_view text) {
  std::string out;
  if (form == Normalizer::Form::kLowercase) {
    out.reserve(text.size());
    AppendLowercase(text, &out);
    return out;
  }
  const icu::Normalizer2& instance = Instance(form);
  UErrorCode error = U_ZERO_ERROR;
  const bool normalized = instance.isNormalizedUTF8(ToIcu(text), error);
  if (U_SUCCESS(error) && normalized) return std::string(text);
  error = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&out, static_cast<int32_t>(text.size()));
  instance.normalizeUTF8(0, ToIcu(text), sink, nullptr, error);
  CHECK(U_SUCCESS(error));
  return out;
}

// Whether a form may treat what stands before `character` and what begins with it separately.
bool IsBoundaryBefore(Normalizer::Form form, char32_t character) {
  return form == Normalizer::Form::kLowercase ||
         Instance(form).hasBoundaryBefore(static_cast<UChar32>(character));
}

MarkedText ApplyFormMarked(Normalizer::Form form, const MarkedText& marked) {
  const absl::string_view text = marked.text();
  MarkedText out;
  size_t begin = 0, end = 0;  // the characters that are normalized together
  const auto flush = [&] {
    if (begin == end) return;
    out.Append(ApplyForm(form, text.substr(begin, end - begin)), marked.IsLiteral(begin, end));
    begin = end;
  };
  while (end < text.size()) {
    const Utf8Unit unit = DecodeUtf8(text.substr(end));
    if (IsBoundaryBefore(form, unit.code_point)) flush();
    end += unit.bytes;
  }
  flush();
  return out;
}

// Calls `keep(begin, end)` for what stays of `text` and `put(begin, end)` for what is replaced.
template <typename Keep, typename Put>
void ForEachPart(const Normalizer::Replace& replace, absl::string_view text, Keep keep, Put put) {
  MatchScratch scratch;
  size_t done = 0, from = 0;
  while (from <= text.size()) {
    const absl::optional<ByteRange> match = replace.pattern->Find(text, from, &scratch);
    if (!match.has_value()) break;
    if (done < match->begin) keep(done, match->begin);
    put(match->begin, match->end);
    done = from = match->end;
    if (match->begin == match->end) {
      from += from < text.size() ? DecodeUtf8(text.substr(from)).bytes : 1;
    }
  }
  if (done < text.size()) keep(done, text.size());
}

struct StepOnText {
  absl::string_view text;

  std::string operator()(Normalizer::Form form) const { return ApplyForm(form, text); }
  std::string operator()(const Normalizer::Prepend& prepend) const {
    return text.empty() ? "" : absl::StrCat(prepend.text, text);
  }
  std::string operator()(const Normalizer::Replace& replace) const {
    std::string out;
    ForEachPart(
        replace, text,
        [&](size_t begin, size_t end) { absl::StrAppend(&out, text.substr(begin, end - begin)); },
        [&](size_t, size_t) { out.append(replace.content); });
    return out;
  }
};

struct StepOnMarked {
  const MarkedText& text;

  MarkedText operator()(Normalizer::Form form) const { return ApplyFormMarked(form, text); }
  MarkedText operator()(const Normalizer::Prepend& prepend) const {
    MarkedText out;
    if (text.empty()) return out;
    out.Append(prepend.text, /*literal=*/true);
    out.Append(text);
    return out;
  }
  MarkedText operator()(const Normalizer::Replace& replace) const {
    MarkedText out;
    ForEachPart(
        replace, text.text(), [&](size_t begin, size_t end) { out.Append(text.Slice(begin, end)); },
        [&](size_t begin, size_t end) { out.Append(replace.content, text.IsLiteral(begin, end)); });
    return out;
  }
};

}  // namespace

std::string Normalizer::Apply(absl::string_view text) const {
  std::string result(text);
  for (const Step& step : steps_) result = absl::visit(StepOnText{result}, step);
  return result;
}

MarkedText Normalizer::ApplyMarked(const MarkedText& text) const {
  MarkedText result = text;
  for (const Step& step : steps_) result = absl::visit(StepOnMarked{result}, step);
  return result;
}

}  // namespace switchboard::text
