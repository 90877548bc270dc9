#include "tools/golden/templates.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/status_macros.h"
#include "text/chat/continuation.h"
#include "text/chat/messages.h"
#include "text/template/chat_template.h"
#include "text/template/code_points.h"

namespace switchboard::golden {
namespace {

using text::ChatTemplate;
using text::TemplateValue;
using text::TemplateVariables;

// When the expected texts were made.
class GoldenClock final : public Clock {
 public:
  absl::Time Now() const override {
    return absl::FromCivil(absl::CivilSecond(2026, 11, 30, 17, 26, 8), absl::UTCTimeZone());
  }
  absl::Duration Monotonic() const override { return absl::ZeroDuration(); }
};

// The member `key`, or "" when it is absent or no string.
std::string Text(const JsonObject& row, absl::string_view key) {
  const Json* value = FindMember(row, key);
  return value != nullptr && value->is_string() ? std::string(ToAbsl(value->get_string())) : "";
}

absl::Status Differs(absl::string_view expected, absl::string_view got) {
  size_t at = 0;
  while (at < expected.size() && at < got.size() && expected[at] == got[at]) ++at;
  return absl::InternalError(absl::StrCat("byte ", at, " of ", expected.size(), ": expected `",
                                          expected.substr(at, 40), "`, got `", got.substr(at, 40),
                                          "`"));
}

absl::Status CompareText(const JsonObject& row, absl::string_view got) {
  if (FindMember(row, "text") != nullptr) {
    const std::string expected = Text(row, "text");
    return expected == got ? absl::OkStatus() : Differs(expected, got);
  }
  const Json* bytes = FindMember(row, "bytes");
  const bool same_size = bytes != nullptr && bytes->is_int64() &&
                         bytes->get_int64() == static_cast<int64_t>(got.size());
  if (!same_size || Text(row, "sha256") != ToHex(Sha256Of(got))) {
    return absl::InternalError(
        absl::StrCat("another text than expected, of ", got.size(), " bytes"));
  }
  return absl::OkStatus();
}

// [[start, end], ...] in code points.
absl::Status CompareSpans(const Json& expected, const ChatTemplate::Rendered& got) {
  JsonArray spans;
  const absl::string_view text = got.text.text();
  for (const text::ByteRange& span : got.generation_spans) {
    const size_t start = text::jinja::CountCodePoints(text.substr(0, span.begin));
    const size_t end = text::jinja::CountCodePoints(text.substr(0, span.end));
    spans.push_back(JsonArray{start, end});
  }
  if (SerializeJson(spans) == SerializeJson(expected)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("generation spans: expected ", SerializeJson(expected),
                                          ", got ", SerializeJson(spans)));
}

absl::Status CompareError(const JsonObject& row, const absl::Status& got) {
  if (got.ok()) return absl::InternalError(absl::StrCat("expected ", Text(row, "error")));
  const std::string message = Text(row, "message");
  if (Text(row, "error") != "TemplateError" || got.message() == message) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("expected the error `", message, "`, got `", got.message(), "`"));
}

absl::StatusOr<ChatTemplate::Rendered> RenderRow(absl::string_view source,
                                                 const JsonObject& context) {
  const GoldenClock clock;
  ASSIGN_OR_RETURN(const std::unique_ptr<const ChatTemplate> chat_template,
                   ChatTemplate::Parse(source));
  const Json* continued = FindMember(context, "continue_final_message");
  if (continued == nullptr) {
    return chat_template->Render(TemplateValue::FromJson(context), clock);
  }
  TemplateVariables variables;
  std::vector<TemplateValue> messages;
  for (const auto& [key, value] : context) {
    if (key == "messages") {
      for (const Json& message : value.as_array()) {
        messages.push_back(TemplateValue::FromJson(message));
      }
    } else if (key != "continue_final_message") {
      variables.emplace_back(TemplateValue::Literal(ToAbsl(key)), TemplateValue::FromJson(value));
    }
  }
  ChatTemplate::Rendered rendered;
  ASSIGN_OR_RETURN(rendered.text, text::RenderContinued(*chat_template, std::move(messages),
                                                        std::move(variables), clock));
  return rendered;
}

absl::Status JudgeRow(const JsonObject& row, absl::string_view source, const JsonObject& context) {
  const absl::StatusOr<ChatTemplate::Rendered> got = RenderRow(source, context);
  if (FindMember(row, "error") != nullptr) return CompareError(row, got.status());
  RETURN_IF_ERROR(got.status());
  RETURN_IF_ERROR(CompareText(row, got->text.text()));
  const Json* spans = FindMember(row, "generation_spans");
  return spans == nullptr ? absl::OkStatus() : CompareSpans(*spans, *got);
}

// A row of cases.jsonl: template and conversation by name.
absl::Status JudgeCase(const DataFolder& data, const JsonObject& conversations,
                       const JsonObject& row) {
  ASSIGN_OR_RETURN(const std::string source,
                   data.Read(absl::StrCat("templates/", Text(row, "template"))));
  const Json* context = FindMember(conversations, Text(row, "conversation"));
  if (context == nullptr || !context->is_object()) {
    return absl::NotFoundError("its conversation is not in conversations.json");
  }
  return JudgeRow(row, source, context->get_object());
}

absl::Status JudgeSnippet(const JsonObject& row) {
  const Json* context = FindMember(row, "context");
  if (context == nullptr || !context->is_object()) return absl::NotFoundError("it has no context");
  return JudgeRow(row, Text(row, "template"), context->get_object());
}

absl::Status JudgeNormalized(const JsonObject& row) {
  const Json* message = FindMember(row, "message");
  const Json* expected = FindMember(row, "seen_by_template");
  if (message == nullptr || !message->is_object() || expected == nullptr) {
    return absl::NotFoundError("it has no message");
  }
  const std::string got = SerializeJson(text::NormalizeMessage(message->get_object()));
  return got == SerializeJson(*expected) ? absl::OkStatus()
                                         : Differs(SerializeJson(*expected), got);
}

// Rows of a file that is there.
std::vector<Json> Rows(const DataFolder& data, const std::string& file, Report* report) {
  if (!data.Has(file)) return {};
  absl::StatusOr<std::vector<Json>> rows = data.ReadJsonLines(file);
  if (rows.ok()) return *std::move(rows);
  report->Fail(file, rows.status().message());
  return {};
}

void JudgeCases(const DataFolder& data, const std::string& file, Report* report) {
  const std::vector<Json> rows = Rows(data, file, report);
  if (rows.empty()) return;
  const absl::StatusOr<Json> conversations = data.ReadJson("templates/conversations.json");
  if (!conversations.ok() || !conversations->is_object()) {
    return report->Fail(file, "templates/conversations.json is missing or no object");
  }
  for (const Json& json : rows) {
    const JsonObject& row = json.get_object();
    report->Judge(absl::StrCat(Text(row, "template"), " ", Text(row, "conversation")),
                  JudgeCase(data, conversations->get_object(), row));
  }
}

}  // namespace

void JudgeTemplates(const DataFolder& data, Report* report) {
  JudgeCases(data, "templates/cases.jsonl", report);
  JudgeCases(data, "templates/cases_real.jsonl", report);
  for (const Json& row : Rows(data, "templates/snippets.jsonl", report)) {
    report->Judge(absl::StrCat("snippet ", Text(row.get_object(), "template")),
                  JudgeSnippet(row.get_object()));
  }
  for (const Json& row : Rows(data, "templates/normalize.jsonl", report)) {
    const Json* message = FindMember(row.get_object(), "message");
    report->Judge(absl::StrCat("message ", message == nullptr ? "" : SerializeJson(*message)),
                  JudgeNormalized(row.get_object()));
  }
}

}  // namespace switchboard::golden
