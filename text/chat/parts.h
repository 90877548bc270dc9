// Content parts of OpenAI messages, whatever dialect they come in.
#ifndef SWITCHBOARD_TEXT_CHAT_PARTS_H_
#define SWITCHBOARD_TEXT_CHAT_PARTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "text/marked_text.h"
#include "text/template/chat_template.h"

namespace switchboard::text {

struct ContentPart {
  enum Kind { kText, kImage, kThought } kind = kText;
  std::string text;  // of a text or thought
};

// The parts of a list. InvalidArgument naming `where`[j] for a part of another type, or without its
// text. See messages.h for the types.
absl::StatusOr<std::vector<ContentPart>> ReadParts(const JsonArray& parts, absl::string_view where);

int CountImages(const std::vector<ContentPart>& parts);
// The thoughts, joined by newlines; empty when there are none.
std::string JoinThoughts(const std::vector<ContentPart>& parts);

// One string: `placeholder` (literal) per image, then the texts (data), all joined by newlines.
MarkedText JoinParts(const std::vector<ContentPart>& parts, absl::string_view placeholder);

// The list as templates expect it: {"type": "text", "text": ...} and {"type": "image"}, in order.
TemplateValue ListParts(const std::vector<ContentPart>& parts);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_CHAT_PARTS_H_
