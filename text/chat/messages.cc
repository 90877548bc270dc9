#include "text/chat/messages.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "text/chat/parts.h"

namespace switchboard::text {
namespace {

// A role outside of this list comes from a client's imagination: if it were literal, a template
// that writes
// `<|{{ role }}|>` would let it write any control token.
constexpr absl::string_view kKnownRoles[] = {"system", "user",     "assistant",
                                             "tool",   "function", "observation"};

TemplateValue RoleValue(absl::string_view role) {
  if (role == "developer") role = "system";
  if (role == "function") role = "tool";
  const bool known =
      std::find(std::begin(kKnownRoles), std::end(kKnownRoles), role) != std::end(kKnownRoles);
  return known ? TemplateValue::Literal(role) : TemplateValue::Data(role);
}

// The arguments of a call as templates want them: an object, where they are one.
Json ParsedArguments(const Json& arguments) {
  if (!arguments.is_string()) return arguments;
  const absl::string_view text = ToAbsl(arguments.get_string());
  if (text.empty()) return JsonObject();
  absl::StatusOr<Json> parsed = ParseJson(text);
  return parsed.ok() && parsed->is_object() ? *std::move(parsed) : arguments;
}

Json ParsedCalls(Json calls) {
  if (!calls.is_array()) return calls;
  for (Json& call : calls.get_array()) {
    JsonObject* object = call.if_object();
    Json* function = object == nullptr ? nullptr : object->if_contains("function");
    JsonObject* body = function == nullptr ? nullptr : function->if_object();
    Json* arguments = body == nullptr ? nullptr : body->if_contains("arguments");
    if (arguments != nullptr) *arguments = ParsedArguments(*arguments);
  }
  return calls;
}

bool IsEmptyList(const Json& value) { return value.is_array() && value.get_array().empty(); }

class MessageReader {
 public:
  explicit MessageReader(const ContentLayout& layout) : layout_(layout) {}

  absl::StatusOr<TemplateValue> Read(const Json& json, absl::string_view where) {
    const JsonObject* source = json.if_object();
    const Json* role = source == nullptr ? nullptr : FindMember(*source, "role");
    if (role == nullptr || !role->is_string()) {
      return absl::InvalidArgumentError(absl::StrCat(where, ".role must be a string"));
    }
    role_ = std::string(ToAbsl(role->get_string()));
    JsonObject message = *source;
    parts_.clear();
    RETURN_IF_ERROR(TakeParts(&message, where));
    message = NormalizeMessage(message);
    std::vector<std::pair<TemplateValue, TemplateValue>> entries;
    for (const auto& [key, value] : message) {
      const absl::string_view name = ToAbsl(key);
      if (name == "tool_calls" && IsEmptyList(value)) continue;
      ASSIGN_OR_RETURN(TemplateValue member, Member(name, value, where));
      entries.emplace_back(TemplateValue::Literal(name), std::move(member));
    }
    const Json* calls = FindPresent(message, "tool_calls");
    const bool calls_tools = calls != nullptr && !IsEmptyList(*calls);
    if (role_ == "assistant" && !calls_tools && FindMember(message, "content") == nullptr) {
      entries.emplace_back(TemplateValue::Literal("content"), TemplateValue::Data(""));
    }
    return TemplateValue::Dict(std::move(entries));
  }

  int images() const { return images_; }

 private:
  // Reads a list of parts, and gives the message the reasoning among them.
  absl::Status TakeParts(JsonObject* message, absl::string_view where) {
    const Json* content = FindPresent(*message, "content");
    if (content == nullptr || !content->is_array()) return absl::OkStatus();
    ASSIGN_OR_RETURN(parts_, ReadParts(content->get_array(), absl::StrCat(where, ".content")));
    const std::string thoughts = JoinThoughts(parts_);
    if (!thoughts.empty() && role_ != "assistant") {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ".content: only assistant messages have thinking parts"));
    }
    if (!thoughts.empty() && FindPresent(*message, "reasoning_content") == nullptr) {
      (*message)["reasoning_content"] = thoughts;
    }
    images_ += CountImages(parts_);
    return absl::OkStatus();
  }

  absl::StatusOr<TemplateValue> Member(absl::string_view name, const Json& value,
                                       absl::string_view where) {
    if (name == "role") return RoleValue(role_);
    if (name == "tool_calls") return TemplateValue::FromJson(ParsedCalls(value));
    if (name == "content" && value.is_array()) return Content(where);
    if (name == "content" && !value.is_string()) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ".content must be a string or a list of parts"));
    }
    return TemplateValue::FromJson(value);
  }

  absl::StatusOr<TemplateValue> Content(absl::string_view where) const {
    const bool single_text = parts_.size() == 1 && parts_[0].kind == ContentPart::kText;
    if (layout_.keep_user_lists && role_ == "user" && !single_text) return ListParts(parts_);
    if (layout_.image_placeholder.empty() && CountImages(parts_) > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ".content has an image, which the model does not take here"));
    }
    return TemplateValue::String(JoinParts(parts_, layout_.image_placeholder));
  }

  const ContentLayout& layout_;
  std::string role_;
  std::vector<ContentPart> parts_;  // of the message that is being read
  int images_ = 0;
};

}  // namespace

JsonObject NormalizeMessage(const JsonObject& message) {
  const Json* reasoning = nullptr;
  for (const absl::string_view key : {"reasoning_content", "thinking", "reasoning"}) {
    if (reasoning == nullptr) reasoning = FindPresent(message, key);
  }
  JsonObject result;
  if (reasoning != nullptr) result["thinking"] = *reasoning;
  for (const auto& [key, value] : message) {
    if (value.is_null() || (reasoning != nullptr && key == "thinking")) continue;
    result[key] = value;
  }
  if (reasoning != nullptr) result["reasoning_content"] = *reasoning;
  return result;
}

absl::StatusOr<TemplateMessages> ToTemplateMessages(const JsonArray& messages,
                                                    const ContentLayout& layout) {
  TemplateMessages result;
  MessageReader reader(layout);
  for (const Json& message : messages) {
    const std::string where = absl::StrCat("messages[", result.messages.size(), "]");
    ASSIGN_OR_RETURN(TemplateValue value, reader.Read(message, where));
    result.messages.push_back(std::move(value));
  }
  result.images = reader.images();
  return result;
}

}  // namespace switchboard::text
