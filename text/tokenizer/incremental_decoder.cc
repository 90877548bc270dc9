#include "text/tokenizer/incremental_decoder.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "base/utf8.h"

namespace switchboard::text {

std::string IncrementalDecoder::Add(int32_t id) {
  if (skip_special_ && tokenizer_->IsSpecial(id)) return "";
  std::string bytes = std::exchange(pending_, "");
  tokenizer_->AppendToText(id, &at_start_, &bytes);
  std::string out;
  for (absl::string_view rest = bytes; !rest.empty();) {
    const Utf8Unit unit = DecodeUtf8(rest);
    if (unit.kind == Utf8Unit::kIncomplete) {
      pending_ = std::string(rest);
      break;
    }
    if (unit.kind == Utf8Unit::kCodePoint) {
      out.append(rest.data(), unit.bytes);
    } else {
      out.append(kReplacementCharacter);
    }
    rest.remove_prefix(unit.bytes);
  }
  return out;
}

std::string IncrementalDecoder::Finish() {
  at_start_ = true;
  const bool incomplete = !std::exchange(pending_, "").empty();
  return incomplete ? kReplacementCharacter : "";
}

}  // namespace switchboard::text
