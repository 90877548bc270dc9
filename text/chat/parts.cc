#include "text/chat/parts.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace switchboard::text {
namespace {

absl::StatusOr<ContentPart> TextPart(ContentPart::Kind kind, const JsonObject& part,
                                     absl::string_view key, absl::string_view where) {
  const Json* text = FindMember(part, key);
  if (text == nullptr || !text->is_string()) {
    return absl::InvalidArgumentError(absl::StrCat(where, ".", key, " must be a string"));
  }
  return ContentPart{kind, std::string(ToAbsl(text->get_string()))};
}

absl::StatusOr<ContentPart> ReadPart(const Json& part, absl::string_view where) {
  if (part.is_string())
    return ContentPart{ContentPart::kText, std::string(ToAbsl(part.get_string()))};
  const JsonObject* object = part.if_object();
  const Json* type_member = object == nullptr ? nullptr : FindMember(*object, "type");
  if (type_member == nullptr || !type_member->is_string()) {
    return absl::InvalidArgumentError(absl::StrCat(where, ".type must be a string"));
  }
  const absl::string_view type = ToAbsl(type_member->get_string());
  if (type == "text" || type == "input_text" || type == "output_text") {
    return TextPart(ContentPart::kText, *object, "text", where);
  }
  if (type == "refusal") return TextPart(ContentPart::kText, *object, "refusal", where);
  if (type == "thinking") return TextPart(ContentPart::kThought, *object, "thinking", where);
  if (type == "reasoning") return TextPart(ContentPart::kThought, *object, "text", where);
  if (type == "image_url" || type == "input_image" || type == "image") {
    return ContentPart{ContentPart::kImage, ""};
  }
  return absl::InvalidArgumentError(
      absl::StrCat(where, ".type \"", type, "\" is not supported; text and image_url are"));
}

}  // namespace

absl::StatusOr<std::vector<ContentPart>> ReadParts(const JsonArray& parts,
                                                   absl::string_view where) {
  std::vector<ContentPart> result;
  result.reserve(parts.size());
  for (const Json& part : parts) {
    ASSIGN_OR_RETURN(ContentPart read,
                     ReadPart(part, absl::StrCat(where, "[", result.size(), "]")));
    result.push_back(std::move(read));
  }
  return result;
}

int CountImages(const std::vector<ContentPart>& parts) {
  return static_cast<int>(std::count_if(parts.begin(), parts.end(), [](const ContentPart& part) {
    return part.kind == ContentPart::kImage;
  }));
}

std::string JoinThoughts(const std::vector<ContentPart>& parts) {
  std::string thoughts;
  for (const ContentPart& part : parts) {
    if (part.kind != ContentPart::kThought) continue;
    absl::StrAppend(&thoughts, thoughts.empty() ? "" : "\n", part.text);
  }
  return thoughts;
}

MarkedText JoinParts(const std::vector<ContentPart>& parts, absl::string_view placeholder) {
  MarkedText joined;
  bool first = true;
  const auto append = [&](absl::string_view text, bool literal) {
    if (!first) joined.Append("\n", false);
    joined.Append(text, literal);
    first = false;
  };
  for (int i = CountImages(parts); i > 0; --i) append(placeholder, true);
  for (const ContentPart& part : parts) {
    if (part.kind == ContentPart::kText) append(part.text, false);
  }
  return joined;
}

TemplateValue ListParts(const std::vector<ContentPart>& parts) {
  const TemplateValue type = TemplateValue::Literal("type");
  std::vector<TemplateValue> list;
  for (const ContentPart& part : parts) {
    if (part.kind == ContentPart::kImage) {
      list.push_back(TemplateValue::Dict({{type, TemplateValue::Literal("image")}}));
    } else if (part.kind == ContentPart::kText) {
      list.push_back(
          TemplateValue::Dict({{type, TemplateValue::Literal("text")},
                               {TemplateValue::Literal("text"), TemplateValue::Data(part.text)}}));
    }
  }
  return TemplateValue::List(std::move(list));
}

}  // namespace switchboard::text
