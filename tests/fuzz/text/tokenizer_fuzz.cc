// Any bytes as a tokenizer.json (or a GGUF vocabulary as JSON), then, after a NUL, a text to
// encode.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/check.h"
#include "base/utf8.h"
#include "text/marked_text.h"
#include "text/tokenizer/incremental_decoder.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::text {
namespace {

constexpr size_t kMaxTextBytes = 256;

void CheckDecoding(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  const std::string whole = tokenizer.Decode(ids, /*skip_special=*/false);
  CHECK(IsValidUtf8(whole));
  IncrementalDecoder decoder(&tokenizer, /*skip_special=*/false);
  std::string pieces;
  for (const int32_t id : ids) {
    const std::string piece = decoder.Add(id);
    CHECK(IsValidUtf8(piece));
    pieces += piece;
  }
  CHECK(pieces + decoder.Finish() == whole);
}

void Check(absl::string_view input) {
  const size_t end = input.find('\0');
  const absl::string_view json = input.substr(0, end);
  const absl::string_view text =
      end == input.npos ? "Hello \xE4\xBD\xA0\xE5\xA5\xBD  12<|user|>" : input.substr(end + 1);
  const auto tokenizer = Tokenizer::FromJson(json);
  if (!tokenizer.ok()) {
    const absl::StatusCode code = tokenizer.status().code();
    CHECK(code == absl::StatusCode::kInvalidArgument || code == absl::StatusCode::kUnimplemented);
    return;
  }
  const absl::string_view part = text.substr(0, kMaxTextBytes);
  const std::vector<int32_t> ids = (*tokenizer)->Encode(MarkedText::Data(part), false);
  for (const int32_t id : ids) {
    CHECK(id >= 0 && id < (*tokenizer)->vocab_size());
    // The unknown token is the one special token that data may become.
    CHECK(!(*tokenizer)->IsSpecial(id) || absl::StrContains(json, "unk"));
  }
  CheckDecoding(**tokenizer, ids);
  CheckDecoding(**tokenizer, (*tokenizer)->Encode(MarkedText::Literal(part), true));
}

}  // namespace
}  // namespace switchboard::text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switchboard::text::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
