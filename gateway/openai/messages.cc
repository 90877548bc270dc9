#include "gateway/openai/messages.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"
#include "gateway/openai/object_reader.h"

namespace switchboard::openai {
namespace {

// Templates iterate over arguments as a mapping, clients send JSON text: an object if it is one, an
// empty object for no text, else what the client sent.
Json ArgumentsForTemplate(const Json& arguments) {
  if (!arguments.is_string()) return arguments;
  const absl::string_view text = ToAbsl(arguments.get_string());
  if (text.empty()) return JsonObject();
  absl::StatusOr<Json> parsed = ParseJson(text);
  if (parsed.ok() && parsed->is_object()) return *std::move(parsed);
  return arguments;
}

// What the messages have had so far of what is bounded for all of them together.
struct Totals {
  size_t parts = 0, tool_calls = 0, argument_bytes = 0;
};

// Adds what the member at `path` has; 400 when that passes `most`.
absl::Status Add(const std::string& path, absl::string_view what, size_t more, size_t most,
                 size_t* total) {
  *total += more;
  if (*total <= most) return absl::OkStatus();
  return Error("array_above_max_length", path,
               absl::StrCat("'", path, "' makes it ", *total, " ", what,
                            " in 'messages', which may have at most ", most, "."));
}

absl::StatusOr<JsonObject> ReadToolCall(const std::string& path, const Json& value,
                                        Totals* totals) {
  if (!value.is_object()) return WrongType(path, "an object", value);
  ObjectReader call(&value.get_object(), path);
  ASSIGN_OR_RETURN(const JsonObject* function, call.Object("function"));
  if (function == nullptr) return Missing(call.Path("function"));
  ObjectReader reader(function, call.Path("function"));
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> name, reader.String("name"));
  if (!name.has_value()) return Missing(reader.Path("name"));
  const Json* arguments = reader.Any("arguments");
  if (arguments != nullptr && !arguments->is_string() && !arguments->is_object()) {
    return WrongType(reader.Path("arguments"), "a string", *arguments);
  }
  if (arguments != nullptr && arguments->is_string()) {
    RETURN_IF_ERROR(Add(reader.Path("arguments"), "bytes of arguments",
                        arguments->get_string().size(), kMaxArgumentBytes,
                        &totals->argument_bytes));
  }
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> id, call.String("id"));
  JsonObject out;
  if (id.has_value()) out["id"] = ToBoost(*id);
  out["type"] = "function";
  out["function"] = JsonObject{
      {"name", ToBoost(*name)},
      {"arguments", arguments == nullptr ? Json(JsonObject()) : ArgumentsForTemplate(*arguments)}};
  return out;
}

absl::Status CopyToolCalls(ObjectReader* reader, JsonObject* message, Totals* totals) {
  ASSIGN_OR_RETURN(const JsonArray* calls, reader->Array("tool_calls"));
  if (calls == nullptr || calls->empty()) return absl::OkStatus();
  const std::string path = reader->Path("tool_calls");
  RETURN_IF_ERROR(Add(path, "tool calls", calls->size(), kMaxToolCalls, &totals->tool_calls));
  JsonArray out;
  for (size_t i = 0; i < calls->size(); ++i) {
    ASSIGN_OR_RETURN(JsonObject call, ReadToolCall(ItemPath(path, i), (*calls)[i], totals));
    out.push_back(std::move(call));
  }
  (*message)["tool_calls"] = std::move(out);
  return absl::OkStatus();
}

absl::Status CopyText(ObjectReader* reader, absl::string_view key, JsonObject* message) {
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> text, reader->String(key));
  if (text.has_value()) (*message)[ToBoost(key)] = ToBoost(*text);
  return absl::OkStatus();
}

// What only an assistant's message has. `thoughts` are those found in its content.
absl::Status CopyAssistantMembers(ObjectReader* reader, const std::string& thoughts,
                                  JsonObject* message, Totals* totals) {
  for (absl::string_view key : {"audio", "function_call"}) {
    if (reader->Any(key) != nullptr) {
      return Error("unsupported_parameter", reader->Path(key),
                   absl::StrCat("'", reader->Path(key), "' is not supported by this server."));
    }
  }
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> alias, reader->String("reasoning"));
  RETURN_IF_ERROR(CopyText(reader, "reasoning_content", message));
  if (!message->contains("reasoning_content")) {
    if (alias.has_value()) (*message)["reasoning_content"] = ToBoost(*alias);
    if (!thoughts.empty()) (*message)["reasoning_content"] = thoughts;
  }
  return CopyToolCalls(reader, message, totals);
}

absl::Status ReadMessage(const std::string& path, const Json& value, Conversation* conversation,
                         Totals* totals) {
  if (!value.is_object()) return WrongType(path, "an object", value);
  ObjectReader reader(&value.get_object(), path);
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> role, reader.String("role"));
  if (!role.has_value()) return Missing(reader.Path("role"));
  JsonObject message;
  message["role"] = *role == "function" ? "tool" : ToBoost(*role);
  const bool is_assistant = *role == "assistant";
  Content content;
  if (const Json* given = reader.Any("content"); given != nullptr) {
    if (given->is_array()) {
      RETURN_IF_ERROR(Add(reader.Path("content"), "content parts", given->get_array().size(),
                          kMaxContentParts, &totals->parts));
    }
    ASSIGN_OR_RETURN(content, ReadContent(reader.Path("content"), *given, *role));
    message["content"] = std::move(content.value);
    std::move(content.images.begin(), content.images.end(),
              std::back_inserter(conversation->images));
  } else if (!is_assistant) {
    return Missing(reader.Path("content"));
  }
  RETURN_IF_ERROR(CopyText(&reader, "name", &message));
  RETURN_IF_ERROR(CopyText(&reader, "tool_call_id", &message));
  if (is_assistant) {
    RETURN_IF_ERROR(CopyAssistantMembers(&reader, content.reasoning, &message, totals));
  }
  ASSIGN_OR_RETURN(const std::optional<bool> prefix, reader.Bool("prefix"));
  conversation->continues_last = is_assistant && prefix.value_or(false);
  conversation->messages.push_back(std::move(message));
  return absl::OkStatus();
}

size_t CountImages(const JsonObject& message) {
  const Json* content = FindMember(message, "content");
  if (content == nullptr || !content->is_array()) return 0;
  size_t count = 0;
  for (const Json& part : content->get_array()) count += part.get_object().at("type") == "image";
  return count;
}

// Puts `count` image parts in front of what the message says.
void PrependImageParts(size_t count, JsonObject* message) {
  JsonArray parts(count, Json(JsonObject{{"type", "image"}}));
  Json& content = (*message)["content"];
  if (content.is_array()) {
    for (Json& part : content.get_array()) parts.push_back(std::move(part));
  } else {
    parts.push_back(JsonObject{{"type", "text"}, {"text", content}});
  }
  content = std::move(parts);
}

absl::Status AttachImages(const JsonArray& images, Conversation* conversation) {
  RETURN_IF_ERROR(CheckLength("images", images.size(), kMaxListedImages));
  std::vector<ImageSource> sources;
  for (size_t i = 0; i < images.size(); ++i) {
    ASSIGN_OR_RETURN(ImageSource source, ReadListedImage(ItemPath("images", i), images[i]));
    sources.push_back(std::move(source));
  }
  if (sources.empty()) return absl::OkStatus();
  JsonObject* last_user = nullptr;
  size_t images_before = 0, images_seen = 0;
  for (Json& value : conversation->messages) {
    JsonObject& message = value.get_object();
    if (message.at("role") == "user") {
      last_user = &message;
      images_before = images_seen;
    }
    images_seen += CountImages(message);
  }
  if (last_user == nullptr) {
    return Error("invalid_value", "images", "'images' needs a user message to belong to.");
  }
  PrependImageParts(sources.size(), last_user);
  conversation->images.insert(conversation->images.begin() + images_before,
                              std::make_move_iterator(sources.begin()),
                              std::make_move_iterator(sources.end()));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Conversation> ReadConversation(const JsonArray& messages, const JsonArray* images) {
  if (messages.empty()) {
    return Error("empty_array", "messages", "'messages' must have at least one item.");
  }
  RETURN_IF_ERROR(CheckLength("messages", messages.size(), kMaxMessages));
  Conversation conversation;
  Totals totals;
  for (size_t i = 0; i < messages.size(); ++i) {
    RETURN_IF_ERROR(ReadMessage(ItemPath("messages", i), messages[i], &conversation, &totals));
  }
  if (images != nullptr) RETURN_IF_ERROR(AttachImages(*images, &conversation));
  return conversation;
}

}  // namespace switchboard::openai
