// Renders small templates for tests.
#ifndef SWITCHBOARD_TESTS_UNIT_TEXT_TEMPLATE_RENDER_H_
#define SWITCHBOARD_TESTS_UNIT_TEXT_TEMPLATE_RENDER_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "tests/support/manual_clock.h"
#include "text/template/chat_template.h"

namespace switchboard::text {

inline absl::StatusOr<ChatTemplate::Rendered> RenderWith(
    absl::string_view source, const TemplateValue& context,
    const TemplateLimits& limits = TemplateLimits()) {
  const ManualClock clock(
      absl::FromCivil(absl::CivilSecond(2026, 11, 30, 17, 26, 8), absl::UTCTimeZone()));
  ASSIGN_OR_RETURN(const std::unique_ptr<const ChatTemplate> chat_template,
                   ChatTemplate::Parse(source, limits));
  return chat_template->Render(context, clock);
}

// The text, or `ERROR: message`. `context` is a JSON object.
inline std::string Render(absl::string_view source, absl::string_view context = "{}",
                          const TemplateLimits& limits = TemplateLimits()) {
  const absl::StatusOr<Json> json = ParseJson(context);
  if (!json.ok()) return "the test's context is no JSON";
  const auto rendered = RenderWith(source, TemplateValue::FromJson(*json), limits);
  return rendered.ok() ? rendered->text.text()
                       : absl::StrCat("ERROR: ", rendered.status().message());
}

// The text with its literal stretches in [[ ]].
inline std::string ShowMarks(const MarkedText& text) {
  std::string shown;
  size_t at = 0;
  const absl::string_view bytes = text.text();
  for (const ByteRange& range : text.literal()) {
    absl::StrAppend(&shown, bytes.substr(at, range.begin - at), "[[",
                    bytes.substr(range.begin, range.end - range.begin), "]]");
    at = range.end;
  }
  return absl::StrCat(shown, bytes.substr(at));
}

inline std::string RenderMarks(absl::string_view source, const TemplateValue& context) {
  const auto rendered = RenderWith(source, context);
  return rendered.ok() ? ShowMarks(rendered->text)
                       : absl::StrCat("ERROR: ", rendered.status().message());
}
inline std::string RenderMarks(absl::string_view source, absl::string_view context) {
  const absl::StatusOr<Json> json = ParseJson(context);
  return json.ok() ? RenderMarks(source, TemplateValue::FromJson(*json))
                   : "the test's context is no JSON";
}

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TESTS_UNIT_TEXT_TEMPLATE_RENDER_H_
