#include "text/chat/continuation.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "text/template/objects.h"
#include "text/template/text_ops.h"

namespace switchboard::text {
namespace {

using jinja::DictObject;
using jinja::Kind;

// The reference's own marker: a template treats it as it would there.
constexpr absl::string_view kMarker = "CONTINUE_FINAL_MESSAGE_TAG ";
constexpr absl::string_view kStrippedMarker = "CONTINUE_FINAL_MESSAGE_TAG";

absl::string_view Stripped(absl::string_view text) {
  const ByteRange kept = jinja::StripRange(text, std::nullopt, true, true);
  return text.substr(kept.begin, kept.end - kept.begin);
}

// `dict` with another value for `key`.
TemplateValue With(const TemplateValue& dict, absl::string_view key, TemplateValue value) {
  std::vector<DictObject::Entry> entries = dict.As<DictObject>().entries();
  for (auto& [name, old] : entries) {
    if (name.is_string() && name.text() == key) old = std::move(value);
  }
  return TemplateValue::Dict(std::move(entries));
}

TemplateValue Marked(const TemplateValue& text, std::string* original) {
  *original = text.text();
  MarkedText marked = text.marked();
  marked.Append(kMarker, false);
  return TemplateValue::String(std::move(marked));
}

// A list of parts with the marker behind the last text; nothing when there is none.
std::optional<TemplateValue> MarkedParts(const TemplateValue& parts, std::string* original) {
  std::vector<TemplateValue> list = parts.items();
  for (size_t i = list.size(); i-- > 0;) {
    if (!list[i].Is(Kind::kDict)) continue;
    const TemplateValue* text = list[i].As<DictObject>().Find("text");
    if (text == nullptr || !text->is_string()) continue;
    list[i] = With(list[i], "text", Marked(*text, original));
    return TemplateValue::List(std::move(list));
  }
  return std::nullopt;
}

// The message with the marker behind its text, which goes to `original`.
std::optional<TemplateValue> MarkedMessage(const TemplateValue& message, std::string* original) {
  const TemplateValue* content =
      message.Is(Kind::kDict) ? message.As<DictObject>().Find("content") : nullptr;
  if (content == nullptr) return std::nullopt;
  if (content->is_string()) return With(message, "content", Marked(*content, original));
  if (!content->Is(Kind::kList)) return std::nullopt;
  std::optional<TemplateValue> parts = MarkedParts(*content, original);
  if (!parts.has_value()) return std::nullopt;
  return With(message, "content", *std::move(parts));
}

}  // namespace

absl::StatusOr<MarkedText> RenderContinued(const ChatTemplate& chat_template,
                                           std::vector<TemplateValue> messages,
                                           TemplateVariables variables, const Clock& clock) {
  std::string original;
  std::optional<TemplateValue> last;
  if (!messages.empty()) last = MarkedMessage(messages.back(), &original);
  if (!last.has_value()) {
    return absl::InvalidArgumentError(
        "continue_final_message is set, but the last message has no text to go on with");
  }
  messages.back() = *std::move(last);
  variables.emplace_back(TemplateValue::Literal("messages"),
                         TemplateValue::List(std::move(messages)));
  ASSIGN_OR_RETURN(const ChatTemplate::Rendered rendered,
                   chat_template.Render(TemplateValue::Dict(std::move(variables)), clock));
  const absl::string_view text = rendered.text.text();
  const size_t marker = text.rfind(kStrippedMarker);
  if (marker == text.npos || !absl::StrContains(text, Stripped(original))) {
    return absl::InvalidArgumentError(
        "continue_final_message is set, but the chat template does not show the last message");
  }
  const bool kept_space = absl::StartsWith(text.substr(marker), kMarker);
  const absl::string_view before = text.substr(0, marker);
  const size_t end = kept_space ? marker : jinja::StripRange(before, std::nullopt, false, true).end;
  return rendered.text.Slice(0, end);
}

}  // namespace switchboard::text
