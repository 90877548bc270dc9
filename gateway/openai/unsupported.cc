#include "gateway/openai/unsupported.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"

namespace switchboard::openai {
namespace {

absl::Status Unsupported(absl::string_view param) {
  return Error("unsupported_parameter", param,
               absl::StrCat("'", param, "' is not supported by this server."));
}

// Refuses the members whatever their value.
absl::Status RefusePresent(ObjectReader* body, std::initializer_list<absl::string_view> keys) {
  for (absl::string_view key : keys) {
    if (body->Any(key) != nullptr) return Unsupported(key);
  }
  return absl::OkStatus();
}

// Arrays may be empty, objects too.
absl::Status RefuseNonEmptyArray(ObjectReader* body, absl::string_view key) {
  ASSIGN_OR_RETURN(const JsonArray* array, body->Array(key));
  return array != nullptr && !array->empty() ? Unsupported(key) : absl::OkStatus();
}

absl::Status RefuseNonEmptyObject(ObjectReader* body, absl::string_view key) {
  ASSIGN_OR_RETURN(const JsonObject* object, body->Object(key));
  return object != nullptr && !object->empty() ? Unsupported(key) : absl::OkStatus();
}

absl::Status RefuseTrue(ObjectReader* body, absl::string_view key) {
  ASSIGN_OR_RETURN(const std::optional<bool> value, body->Bool(key));
  return value.value_or(false) ? Unsupported(key) : absl::OkStatus();
}

absl::Status RefuseNonZero(ObjectReader* body, absl::string_view key, int64_t least) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> value, body->Integer(key, least, kMaxInt32));
  return value.value_or(0) != 0 ? Unsupported(key) : absl::OkStatus();
}

// `none` and `auto` ask for nothing when there are no tools; anything else does.
absl::Status CheckChoice(ObjectReader* body, absl::string_view key) {
  const Json* value = body->Any(key);
  if (value == nullptr) return absl::OkStatus();
  if (value->is_object()) return Unsupported(key);
  if (!value->is_string()) return WrongType(key, "a string or an object", *value);
  const absl::string_view text = ToAbsl(value->get_string());
  if (text == "none" || text == "auto") return absl::OkStatus();
  if (text == "required" || text == "any") return Unsupported(key);
  return Error("invalid_value", key,
               absl::StrCat("'", key, "' is not one of none, auto, required."));
}

absl::Status CheckResponseFormat(ObjectReader* body) {
  ASSIGN_OR_RETURN(const JsonObject* format, body->Object("response_format"));
  if (format == nullptr) return absl::OkStatus();
  ObjectReader reader(format, "response_format");
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> type, reader.String("type"));
  if (!type.has_value()) return Missing("response_format.type");
  if (*type == "text") return absl::OkStatus();
  if (*type == "json_object" || *type == "json_schema" || *type == "structural_tag" ||
      *type == "grammar") {
    return Unsupported("response_format");
  }
  return Error("invalid_value", "response_format.type",
               "'response_format.type' must be text, json_object or json_schema.");
}

absl::Status CheckModalities(ObjectReader* body) {
  ASSIGN_OR_RETURN(const JsonArray* array, body->Array("modalities"));
  if (array == nullptr) return absl::OkStatus();
  for (size_t i = 0; i < array->size(); ++i) {
    const Json& item = (*array)[i];
    if (item == "text") continue;
    if (item == "audio") return Unsupported("modalities");
    return Error("invalid_value", ItemPath("modalities", i), "'modalities' may hold text only.");
  }
  return absl::OkStatus();
}

absl::Status CheckBestOf(ObjectReader* body) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> best_of, body->Integer("best_of", 1, kMaxInt32));
  if (!best_of.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<int64_t> n, body->Integer("n", 1, kMaxInt32));
  if (*best_of != n.value_or(1)) {
    return Error("unsupported_parameter", "best_of", "'best_of' must equal 'n' or be left out.");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RefuseUnsupported(ObjectReader* body) {
  RETURN_IF_ERROR(CheckResponseFormat(body));
  RETURN_IF_ERROR(RefusePresent(
      body, {"structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar",
             "guided_whitespace_pattern", "regex", "ebnf", "grammar", "json_schema",
             "structural_tag", "allowed_token_ids", "prompt_embeds", "thinking_token_budget"}));
  RETURN_IF_ERROR(RefuseNonZero(body, "prompt_logprobs", -1));
  RETURN_IF_ERROR(RefuseTrue(body, "use_beam_search"));
  RETURN_IF_ERROR(RefuseNonEmptyArray(body, "bad_words"));
  RETURN_IF_ERROR(RefuseNonEmptyArray(body, "logprob_token_ids"));
  RETURN_IF_ERROR(RefuseNonEmptyObject(body, "mm_processor_kwargs"));
  RETURN_IF_ERROR(RefuseNonEmptyObject(body, "media_io_kwargs"));
  return CheckBestOf(body);
}

absl::Status RefuseUnsupportedChat(ObjectReader* body) {
  // The choice before the tools: it is the part of a request that cannot be served in any way.
  RETURN_IF_ERROR(CheckChoice(body, "tool_choice"));
  RETURN_IF_ERROR(RefuseNonEmptyArray(body, "tools"));
  RETURN_IF_ERROR(RefuseNonEmptyArray(body, "functions"));
  RETURN_IF_ERROR(CheckChoice(body, "function_call"));
  RETURN_IF_ERROR(body->Bool("parallel_tool_calls").status());
  RETURN_IF_ERROR(CheckModalities(body));
  RETURN_IF_ERROR(RefusePresent(body, {"audio", "web_search_options", "moderation"}));
  RETURN_IF_ERROR(RefuseTrue(body, "echo"));
  RETURN_IF_ERROR(RefuseTrue(body, "add_special_tokens"));
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> chat_template,
                   body->String("chat_template"));
  if (chat_template.has_value()) {
    return Error("feature_disabled", "chat_template",
                 "This server does not take chat templates from requests.");
  }
  return absl::OkStatus();
}

}  // namespace switchboard::openai
