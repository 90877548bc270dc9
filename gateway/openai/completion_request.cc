#include "gateway/openai/completion_request.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/chat_request.h"
#include "gateway/openai/error.h"
#include "gateway/openai/unsupported.h"

namespace switchboard::openai {
namespace {

absl::Status ReadIds(const std::string& path, const JsonArray& array, CompletionRequest* request) {
  RETURN_IF_ERROR(CheckLength(path, array.size(), kMaxPromptIds));
  std::vector<int64_t> ids;
  ids.reserve(array.size());
  for (size_t i = 0; i < array.size(); ++i) {
    const std::string item = ItemPath(path, i);
    ASSIGN_OR_RETURN(const int64_t id,
                     IntegerAt(item, array[i], std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max()));
    if (id < 0 || id > kMaxInt32) {
      return Error("invalid_value", item, absl::StrCat("Token id ", id, " is out of vocabulary."));
    }
    ids.push_back(id);
  }
  if (ids.empty()) return Error("empty_array", path, "The prompt must not be empty.");
  request->prompt_ids = std::move(ids);
  return absl::OkStatus();
}

// A string, an array of ids, or an array with one of either.
absl::Status ReadPrompt(ObjectReader* body, CompletionRequest* request) {
  const Json* value = body->Any("prompt");
  if (value == nullptr) return Missing("prompt");
  if (value->is_string()) {
    request->prompt = std::string(ToAbsl(value->get_string()));
    return absl::OkStatus();
  }
  if (!value->is_array()) return WrongType("prompt", "a string or an array", *value);
  const JsonArray& array = value->get_array();
  if (array.empty()) return Error("empty_array", "prompt", "The prompt must not be empty.");
  if (array[0].is_number()) return ReadIds("prompt", array, request);
  for (size_t i = 0; i < array.size(); ++i) {
    if (!array[i].is_string() && !array[i].is_array()) {
      return WrongType(ItemPath("prompt", i), "a string or an array of token ids", array[i]);
    }
  }
  if (array.size() > 1) {
    return Error("unsupported_value", "prompt", "This server takes one prompt per request.");
  }
  if (array[0].is_array()) return ReadIds("prompt[0]", array[0].get_array(), request);
  request->prompt = std::string(ToAbsl(array[0].get_string()));
  return absl::OkStatus();
}

// An integer here, unlike in chat; old clients send true for 1.
absl::StatusOr<std::optional<int>> ReadLogprobs(ObjectReader* body) {
  const Json* value = body->Any("logprobs");
  if (value == nullptr) return std::optional<int>();
  if (value->is_bool()) return value->get_bool() ? std::optional<int>(1) : std::optional<int>();
  ASSIGN_OR_RETURN(const int64_t number, IntegerAt("logprobs", *value, 0, kMaxTopLogprobs));
  return std::optional<int>(static_cast<int>(number));
}

absl::Status ReadEcho(ObjectReader* body, CompletionRequest* request) {
  ASSIGN_OR_RETURN(const std::optional<bool> echo, body->Bool("echo"));
  request->echo = echo.value_or(false);
  if (request->echo && request->logprobs.has_value()) {
    return Error("unsupported_parameter", "echo", "'echo' with 'logprobs' is not supported.");
  }
  return absl::OkStatus();
}

absl::Status RefuseSuffix(ObjectReader* body) {
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> suffix, body->String("suffix"));
  if (!suffix.has_value() || suffix->empty()) return absl::OkStatus();
  return Error("unsupported_parameter", "suffix", "'suffix' is not supported by this server.");
}

}  // namespace

absl::StatusOr<CompletionRequest> ReadCompletionRequest(const JsonObject& body) {
  ObjectReader reader(&body);
  CompletionRequest request;
  ASSIGN_OR_RETURN(request.model, ReadModelName(body));
  reader.Any("model");
  RETURN_IF_ERROR(ReadPrompt(&reader, &request));
  ASSIGN_OR_RETURN(request.sampling, ReadSampling(&reader));
  request.sampling.prompt_param = "prompt";
  request.sampling.max_tokens = kDefaultCompletionTokens;
  RETURN_IF_ERROR(ReadMaxTokens({"max_tokens"}, &reader, &request.sampling));
  ASSIGN_OR_RETURN(request.output, ReadOutput(&reader));
  ASSIGN_OR_RETURN(request.logprobs, ReadLogprobs(&reader));
  ASSIGN_OR_RETURN(const std::optional<bool> special, reader.Bool("add_special_tokens"));
  request.add_special_tokens = special.value_or(true);
  RETURN_IF_ERROR(ReadEcho(&reader, &request));
  RETURN_IF_ERROR(RefuseSuffix(&reader));
  RETURN_IF_ERROR(RefuseUnsupported(&reader));
  RETURN_IF_ERROR(CheckHarmless(&reader));
  request.ignored_fields = reader.UnreadMembers();
  return request;
}

}  // namespace switchboard::openai
