#include "gateway/openai/output_fields.h"

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"

namespace switchboard::openai {
namespace {

constexpr size_t kMaxRequestId = 128;
constexpr size_t kMaxQuoted = 64;  // bytes of a client's word repeated in a message
constexpr size_t kMaxMetadataPairs = 16, kMaxMetadataKey = 64, kMaxMetadataValue = 512;

absl::StatusOr<bool> BoolOr(ObjectReader* reader, absl::string_view key, bool otherwise) {
  ASSIGN_OR_RETURN(const std::optional<bool> value, reader->Bool(key));
  return value.value_or(otherwise);
}

absl::Status ReadStreamOptions(ObjectReader* body, OutputFields* out) {
  ASSIGN_OR_RETURN(out->stream, BoolOr(body, "stream", false));
  ASSIGN_OR_RETURN(const JsonObject* options, body->Object("stream_options"));
  if (options == nullptr) return absl::OkStatus();
  if (!out->stream) {
    return Error("invalid_value", "stream_options", "'stream_options' needs 'stream': true.");
  }
  ObjectReader reader(options, "stream_options");
  ASSIGN_OR_RETURN(out->include_usage, BoolOr(&reader, "include_usage", false));
  ASSIGN_OR_RETURN(out->continuous_usage, BoolOr(&reader, "continuous_usage_stats", false));
  return reader.Bool("include_obfuscation").status();
}

absl::Status AddStop(const std::string& path, const Json& value, OutputFields* out) {
  if (!value.is_string()) return WrongType(path, "a string", value);
  const absl::string_view text = ToAbsl(value.get_string());
  if (text.empty()) return Error("invalid_value", path, "A stop string must not be empty.");
  if (text.size() > kMaxStopBytes) {
    return Error("string_above_max_length", path,
                 absl::StrCat("A stop string may have at most ", kMaxStopBytes, " bytes."));
  }
  out->stop.emplace_back(text);
  return absl::OkStatus();
}

absl::Status ReadStop(ObjectReader* body, OutputFields* out) {
  const Json* value = body->Any("stop");
  if (value == nullptr) return absl::OkStatus();
  if (value->is_string()) return AddStop("stop", *value, out);
  if (!value->is_array()) return WrongType("stop", "a string or an array of strings", *value);
  const JsonArray& array = value->get_array();
  RETURN_IF_ERROR(CheckLength("stop", array.size(), kMaxStops));
  for (size_t i = 0; i < array.size(); ++i) {
    RETURN_IF_ERROR(AddStop(ItemPath("stop", i), array[i], out));
  }
  return absl::OkStatus();
}

absl::Status ReadRequestId(ObjectReader* body, OutputFields* out) {
  ASSIGN_OR_RETURN(std::optional<absl::string_view> id, body->String("request_id"));
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> alias, body->String("rid"));
  if (!id.has_value()) id = alias;
  if (!id.has_value()) return absl::OkStatus();
  bool printable = true;
  for (char c : *id) printable = printable && absl::ascii_isgraph(static_cast<unsigned char>(c));
  if (id->empty() || id->size() > kMaxRequestId || !printable) {
    return Error(
        "invalid_value", "request_id",
        absl::StrCat("'request_id' must be 1 to ", kMaxRequestId, " printable ASCII characters."));
  }
  out->request_id = std::string(*id);
  return absl::OkStatus();
}

absl::Status ReadTruncation(ObjectReader* body, OutputFields* out) {
  ASSIGN_OR_RETURN(out->truncate_prompt_tokens,
                   body->Integer("truncate_prompt_tokens", -1, kMaxInt32));
  if (out->truncate_prompt_tokens == 0) {
    return Error("integer_below_min_value", "truncate_prompt_tokens",
                 "'truncate_prompt_tokens' must be at least 1, or -1.");
  }
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> side, body->String("truncation_side"));
  if (side.has_value() && *side != "left" && *side != "right") {
    return Error("invalid_value", "truncation_side", "'truncation_side' must be left or right.");
  }
  out->truncate_right = side == absl::string_view("right");
  return absl::OkStatus();
}

absl::Status CheckReasoningFormat(const std::optional<absl::string_view>& format) {
  for (absl::string_view known : {"none", "auto", "deepseek"}) {
    if (format.value_or(known) == known) return absl::OkStatus();
  }
  return Error("unsupported_value", "reasoning_format",
               absl::StrCat("'reasoning_format' must be none, auto or deepseek, not '",
                            format->substr(0, kMaxQuoted), "'."));
}

// Prompts are shared between requests only where nobody can tell, so the salt is only checked.
absl::Status CheckCacheSalt(ObjectReader* body) {
  for (absl::string_view key : {"cache_salt", "extra_key"}) {
    ASSIGN_OR_RETURN(const std::optional<absl::string_view> salt, body->String(key));
    if (salt.has_value() && salt->empty()) {
      return Error("invalid_value", key, absl::StrCat("'", key, "' must not be empty."));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMetadata(ObjectReader* body) {
  ASSIGN_OR_RETURN(const JsonObject* metadata, body->Object("metadata"));
  if (metadata == nullptr) return absl::OkStatus();
  if (metadata->size() > kMaxMetadataPairs) {
    return Error("invalid_value", "metadata",
                 absl::StrCat("'metadata' may have at most ", kMaxMetadataPairs, " pairs."));
  }
  for (const auto& [key, value] : *metadata) {
    if (!value.is_string()) return WrongType("metadata", "a map from strings to strings", value);
    if (key.size() > kMaxMetadataKey || value.get_string().size() > kMaxMetadataValue) {
      return Error("string_above_max_length", "metadata",
                   absl::StrCat("'metadata' may have keys of ", kMaxMetadataKey, " and values of ",
                                kMaxMetadataValue, " bytes at most."));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OutputFields> ReadOutput(ObjectReader* body) {
  OutputFields out;
  RETURN_IF_ERROR(ReadStreamOptions(body, &out));
  RETURN_IF_ERROR(ReadStop(body, &out));
  ASSIGN_OR_RETURN(const bool no_stop_trim, BoolOr(body, "no_stop_trim", false));
  ASSIGN_OR_RETURN(out.include_stop, BoolOr(body, "include_stop_str_in_output", no_stop_trim));
  ASSIGN_OR_RETURN(out.skip_special_tokens, BoolOr(body, "skip_special_tokens", true));
  ASSIGN_OR_RETURN(out.tokens_as_ids, BoolOr(body, "return_tokens_as_token_ids", false));
  ASSIGN_OR_RETURN(out.return_token_ids, BoolOr(body, "return_token_ids", false));
  RETURN_IF_ERROR(ReadRequestId(body, &out));
  RETURN_IF_ERROR(ReadTruncation(body, &out));
  return out;
}

absl::StatusOr<ReasoningOutput> ReadReasoningOutput(ObjectReader* body) {
  ASSIGN_OR_RETURN(const std::optional<bool> wanted, body->Bool("return_reasoning"));
  ASSIGN_OR_RETURN(const std::optional<bool> include, body->Bool("include_reasoning"));
  ASSIGN_OR_RETURN(const std::optional<bool> separate, body->Bool("separate_reasoning"));
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> format, body->String("reasoning_format"));
  RETURN_IF_ERROR(CheckReasoningFormat(format));
  if (wanted.has_value()) return *wanted ? ReasoningOutput::kSplit : ReasoningOutput::kDrop;
  if (include == false) return ReasoningOutput::kDrop;
  if (separate == false || format == absl::string_view("none")) return ReasoningOutput::kInline;
  if (separate == true || format == absl::string_view("deepseek")) return ReasoningOutput::kSplit;
  return ReasoningOutput::kModelDefault;
}

absl::Status CheckHarmless(ObjectReader* body) {
  for (absl::string_view key : {"user", "safety_identifier", "prompt_cache_key", "service_tier",
                                "verbosity", "session_id"}) {
    RETURN_IF_ERROR(body->String(key).status());
  }
  RETURN_IF_ERROR(body->Bool("store").status());
  RETURN_IF_ERROR(body->Object("prediction").status());
  RETURN_IF_ERROR(body->Integer("priority", std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max())
                      .status());
  RETURN_IF_ERROR(CheckCacheSalt(body));
  return CheckMetadata(body);
}

}  // namespace switchboard::openai
