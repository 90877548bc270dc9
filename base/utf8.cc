#include "base/utf8.h"

#include "base/check.h"

namespace switchboard {
namespace {

// Number of bytes that `lead` announces and the range its second byte must lie in (the first
// continuation byte alone decides overlong forms, surrogates and the upper limit).
struct Lead {
  size_t length;
  unsigned char second_low, second_high;
};

Lead Classify(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Unit DecodeUtf8(absl::string_view text) {
  CHECK(!text.empty());
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const Lead lead = Classify(byte(0));
  if (lead.length == 0) return {Utf8Unit::kInvalid, 1, 0};
  if (lead.length == 1) return {Utf8Unit::kCodePoint, 1, byte(0)};
  char32_t code_point = byte(0) & (0x7Fu >> lead.length);
  for (size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {Utf8Unit::kIncomplete, i, 0};
    const unsigned char low = i == 1 ? lead.second_low : 0x80;
    const unsigned char high = i == 1 ? lead.second_high : 0xBF;
    if (byte(i) < low || byte(i) > high) return {Utf8Unit::kInvalid, i, 0};
    code_point = code_point << 6 | (byte(i) & 0x3F);
  }
  return {Utf8Unit::kCodePoint, lead.length, code_point};
}

bool IsValidUtf8(absl::string_view text) {
  while (!text.empty()) {
    const Utf8Unit unit = DecodeUtf8(text);
    if (unit.kind != Utf8Unit::kCodePoint) return false;
    text.remove_prefix(unit.bytes);
  }
  return true;
}

std::string ReplaceInvalidUtf8(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Unit unit = DecodeUtf8(text);
    if (unit.kind == Utf8Unit::kCodePoint) {
      out.append(text.data(), unit.bytes);
    } else {
      out.append(kReplacementCharacter);
    }
    text.remove_prefix(unit.bytes);
  }
  return out;
}

void AppendUtf8(char32_t c, std::string* out) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = 0xFFFD;
  const auto push = [&](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xC0 | c >> 6);
    push(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    push(0xE0 | c >> 12);
    push(0x80 | (c >> 6 & 0x3F));
    push(0x80 | (c & 0x3F));
  } else {
    push(0xF0 | c >> 18);
    push(0x80 | (c >> 12 & 0x3F));
    push(0x80 | (c >> 6 & 0x3F));
    push(0x80 | (c & 0x3F));
  }
}

}  // namespace switchboard
