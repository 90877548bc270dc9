// Any bytes as a chat template, then, after a NUL, its context as JSON.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "tests/support/manual_clock.h"
#include "text/template/chat_template.h"

namespace switchboard::text {
namespace {

constexpr char kConversation[] = R"({"messages": [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": " caf\u00e9 <|end|>\n"}, {"type": "image"}]},
    {"role": "assistant", "content": "x", "tool_calls": [{"function": {"name": "f",
        "arguments": {"a": [1, -2.5, null, true]}}}]}],
    "tools": null, "add_generation_prompt": true, "bos_token": "<s>"})";

// Small enough that a rendering takes milliseconds, and shallow: the sanitizers' frames are large.
TemplateLimits SmallLimits() {
  TemplateLimits limits;
  limits.steps = 200'000;
  limits.memory_bytes = size_t{16} << 20;
  limits.output_bytes = size_t{1} << 20;
  limits.depth = 200;
  return limits;
}

void Check(absl::string_view input) {
  const size_t end = input.find('\0');
  const auto chat_template = ChatTemplate::Parse(input.substr(0, end), SmallLimits());
  if (!chat_template.ok()) {
    CHECK(chat_template.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  absl::StatusOr<Json> context =
      ParseJson(end == input.npos ? absl::string_view(kConversation) : input.substr(end + 1));
  if (!context.ok() || !context->is_object()) context = ParseJson(kConversation);
  const ManualClock clock(absl::UnixEpoch());
  const auto rendered = (*chat_template)->Render(TemplateValue::FromJson(*context), clock);
  if (!rendered.ok()) {
    CHECK(rendered.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  CHECK(rendered->text.size() <= SmallLimits().output_bytes);
  size_t done = 0;
  for (const ByteRange& range : rendered->text.literal()) {
    CHECK(done <= range.begin && range.begin < range.end && range.end <= rendered->text.size());
    done = range.end;
  }
  for (const ByteRange& span : rendered->generation_spans) {
    CHECK(span.begin <= span.end && span.end <= rendered->text.size());
  }
}

}  // namespace
}  // namespace switchboard::text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switchboard::text::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
