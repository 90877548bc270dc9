#include "text/tokenizer/normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include "base/check.h"
#include "base/utf8.h"

namespace switchboard::text {
namespace {

icu::StringPiece ToIcu(absl::string_view text) {
  return icu::StringPiece(text.data(), static_cast<int32_t>(text.size()));
}

// ICU's own data, which the library carries: getting it cannot fail.
const icu::Normalizer2& Form(Normalizer::Step step) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* form = nullptr;
  switch (step) {
    case Normalizer::Step::kNfc:
      form = icu::Normalizer2::getNFCInstance(error);
      break;
    case Normalizer::Step::kNfd:
      form = icu::Normalizer2::getNFDInstance(error);
      break;
    case Normalizer::Step::kNfkc:
      form = icu::Normalizer2::getNFKCInstance(error);
      break;
    case Normalizer::Step::kNfkd:
      form = icu::Normalizer2::getNFKDInstance(error);
      break;
    case Normalizer::Step::kLowercase:
      break;
  }
  CHECK(U_SUCCESS(error) && form != nullptr);
  return *form;
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

std::string ApplyStep(Normalizer::Step step, absl::string_view text) {
  std::string out;
  if (step == Normalizer::Step::kLowercase) {
    out.reserve(text.size());
    AppendLowercase(text, &out);
    return out;
  }
  const icu::Normalizer2& form = Form(step);
  UErrorCode error = U_ZERO_ERROR;
  const bool normalized = form.isNormalizedUTF8(ToIcu(text), error);
  if (U_SUCCESS(error) && normalized) return std::string(text);
  error = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&out, static_cast<int32_t>(text.size()));
  form.normalizeUTF8(0, ToIcu(text), sink, nullptr, error);
  CHECK(U_SUCCESS(error));
  return out;
}

// Whether a step may treat what stands before `character` and what begins with it separately.
bool IsBoundaryBefore(Normalizer::Step step, char32_t character) {
  return step == Normalizer::Step::kLowercase ||
         Form(step).hasBoundaryBefore(static_cast<UChar32>(character));
}

MarkedText ApplyStepMarked(Normalizer::Step step, const MarkedText& marked) {
  const absl::string_view text = marked.text();
  MarkedText out;
  size_t begin = 0, end = 0;  // the characters that are normalized together
  const auto flush = [&] {
    if (begin == end) return;
    out.Append(ApplyStep(step, text.substr(begin, end - begin)), marked.IsLiteral(begin, end));
    begin = end;
  };
  while (end < text.size()) {
    const Utf8Unit unit = DecodeUtf8(text.substr(end));
    if (IsBoundaryBefore(step, unit.code_point)) flush();
    end += unit.bytes;
  }
  flush();
  return out;
}

}  // namespace

std::string Normalizer::Apply(absl::string_view text) const {
  std::string result(text);
  for (const Step step : steps_) result = ApplyStep(step, result);
  return result;
}

MarkedText Normalizer::ApplyMarked(const MarkedText& text) const {
  MarkedText result = text;
  for (const Step step : steps_) result = ApplyStepMarked(step, result);
  return result;
}

}  // namespace switchboard::text
