// A chat template: a Jinja program that turns messages into a prompt. Renders what HF transformers'
// apply_chat_template does (jinja2 3.1 with trim_blocks, lstrip_blocks, loop controls, tojson,
// raise_exception, strftime_now, the generation tag; an immutable sandbox), byte for byte.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_CHAT_TEMPLATE_H_
#define SWITCHBOARD_TEXT_TEMPLATE_CHAT_TEMPLATE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "text/marked_text.h"
#include "text/template/budget.h"
#include "text/template/value.h"

namespace switchboard::text {

using TemplateValue = jinja::Value;

namespace jinja {
struct Program;
}

// A parsed template. Immutable, so any number of threads may render it at once.
class ChatTemplate {
 public:
  // InvalidArgument `chat template, line N: cause` when `source` is no template.
  static absl::StatusOr<std::unique_ptr<const ChatTemplate>> Parse(
      absl::string_view source, const TemplateLimits& limits = TemplateLimits());
  ~ChatTemplate();
  ChatTemplate(const ChatTemplate&) = delete;
  ChatTemplate& operator=(const ChatTemplate&) = delete;

  struct Rendered {
    // Template text is literal, and so are the literal bytes of the context's strings as long as
    // nothing changes them; all else is data.
    MarkedText text;
    // Bytes of `text` that {% generation %} blocks wrote.
    std::vector<ByteRange> generation_spans;
  };
  // `context` is a dict: the variables. `clock` is what strftime_now reads, in UTC. InvalidArgument
  // when the template fails: `chat template, line N: cause`, or, for raise_exception, its message
  // alone.
  absl::StatusOr<Rendered> Render(const TemplateValue& context, const Clock& clock) const;

 private:
  ChatTemplate(std::unique_ptr<const jinja::Program> program, const TemplateLimits& limits);

  const std::unique_ptr<const jinja::Program> program_;
  const TemplateLimits limits_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TEMPLATE_CHAT_TEMPLATE_H_
