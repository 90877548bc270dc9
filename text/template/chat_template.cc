#include "text/template/chat_template.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "text/template/ast.h"
#include "text/template/interpreter.h"
#include "text/template/parser.h"
#include "text/template/runtime.h"

namespace switchboard::text {
namespace {

absl::Status Error(absl::string_view cause) {
  return absl::InvalidArgumentError(absl::StrCat("chat template, ", cause));
}

}  // namespace

ChatTemplate::ChatTemplate(std::unique_ptr<const jinja::Program> program,
                           const TemplateLimits& limits)
    : program_(std::move(program)), limits_(limits) {}

ChatTemplate::~ChatTemplate() = default;

absl::StatusOr<std::unique_ptr<const ChatTemplate>> ChatTemplate::Parse(
    absl::string_view source, const TemplateLimits& limits) {
  if (source.size() > limits.source_bytes) {
    return Error(absl::StrCat("its source has ", source.size(), " bytes, at most ",
                              limits.source_bytes, " are read"));
  }
  if (!IsValidUtf8(source)) return Error("its source is not valid UTF-8");
  absl::StatusOr<std::unique_ptr<const jinja::Program>> program = jinja::ParseTemplate(source);
  if (!program.ok()) return Error(program.status().message());
  return std::unique_ptr<const ChatTemplate>(new ChatTemplate(*std::move(program), limits));
}

absl::StatusOr<ChatTemplate::Rendered> ChatTemplate::Render(const TemplateValue& context,
                                                            const Clock& clock) const {
  if (!context.Is(jinja::Kind::kDict)) return Error("its variables must be a dict");
  if (context.depth() > jinja::kMaxValueDepth) return Error("its variables are nested too deeply");
  jinja::Budget budget(limits_);  // outlives all values that are on it
  jinja::Runtime runtime(&budget, &clock);
  jinja::Interpreter interpreter(context, limits_, &runtime);
  const absl::Status status = interpreter.Run(program_->body);
  if (runtime.raised && !status.ok()) return status;
  if (!status.ok()) {
    return Error(absl::StrCat("line ", interpreter.error_line(), ": ", status.message()));
  }
  Rendered rendered;
  rendered.text = interpreter.TakeOutput();
  rendered.generation_spans = interpreter.TakeGenerationSpans();
  return rendered;
}

}  // namespace switchboard::text
