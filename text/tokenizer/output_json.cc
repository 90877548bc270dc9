// The second half of pipeline_json.h: what is put around the ids, and how they become text.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "text/tokenizer/pipeline_json.h"
#include "text/tokenizer/pipeline_steps.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {
namespace {

// Ids that a template's special token stands for.
absl::Status AppendTemplateToken(const JsonField& processor, const JsonField& item,
                                 std::vector<int32_t>* ids) {
  ASSIGN_OR_RETURN(const JsonField reference, item.Object("SpecialToken"));
  ASSIGN_OR_RETURN(const std::string name, reference.String("id"));
  ASSIGN_OR_RETURN(const JsonField tokens, processor.Object("special_tokens"));
  ASSIGN_OR_RETURN(const JsonField token, tokens.Object(name));
  ASSIGN_OR_RETURN(const JsonArray* list, token.List("ids"));
  for (const Json& id : *list) {
    if (!id.is_int64() || id.get_int64() < 0 || id.get_int64() >= kMaxVocabulary) {
      return token.Invalid("ids", absl::StrCat("want ids in 0..", kMaxVocabulary - 1));
    }
    ids->push_back(static_cast<int32_t>(id.get_int64()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Surroundings> ReadTemplate(const JsonField& processor) {
  ASSIGN_OR_RETURN(const JsonArray* single, processor.List("single"));
  if (single->size() > kMaxSteps) return processor.Invalid("single", "too long");
  Surroundings around;
  int sequences = 0;
  for (size_t i = 0; i < single->size(); ++i) {
    const std::string path = absl::StrCat(processor.Path("single"), "[", i, "]");
    ASSIGN_OR_RETURN(const JsonField item, JsonField::Of((*single)[i], path));
    if (item.Find("Sequence") != nullptr) {
      ++sequences;
    } else {
      RETURN_IF_ERROR(
          AppendTemplateToken(processor, item, sequences == 0 ? &around.prefix : &around.suffix));
    }
  }
  if (sequences != 1) return processor.Invalid("single", "want the text exactly once");
  return around;
}

// Adds one step of a decoder that is not byte-level and returns its place in the order that all
// have.
absl::StatusOr<int> AddDecoderStep(const JsonField& step, TokenDecoder* decoder) {
  ASSIGN_OR_RETURN(const std::string type, step.String("type"));
  if (type == "Replace") {
    ASSIGN_OR_RETURN(const JsonField pattern, step.Object("pattern"));
    if (pattern.Find("Regex") != nullptr) return pattern.Unsupported("Regex", "is not supported");
    ASSIGN_OR_RETURN(std::string from, pattern.String("String"));
    ASSIGN_OR_RETURN(std::string to, step.String("content"));
    if (from.empty() || to.size() > from.size()) {
      return step.Unsupported("content", "longer than what it replaces is not supported");
    }
    decoder->replacements.emplace_back(std::move(from), std::move(to));
    return 1;
  }
  if (type == "Metaspace") {
    ASSIGN_OR_RETURN(decoder->mark, step.String("replacement"));
    if (decoder->mark.empty()) return step.Invalid("replacement", "is empty");
    ASSIGN_OR_RETURN(const Metaspace::Prepend prepend, ReadPrependScheme(step));
    if (prepend != Metaspace::Prepend::kNever) decoder->lead = TokenDecoder::Lead::kBareToken;
    decoder->replacements.emplace_back(decoder->mark, " ");
    return 1;
  }
  if (type == "ByteFallback") {
    decoder->byte_fallback = true;
    return 2;
  }
  if (type == "Fuse") return 3;
  if (type != "Strip") return UnknownType(step, type);
  ASSIGN_OR_RETURN(const std::string content, step.String("content"));
  const Json *start = step.Find("start"), *stop = step.Find("stop");
  if (content != " " || start == nullptr || *start != 1 || stop == nullptr || *stop != 0 ||
      decoder->lead != TokenDecoder::Lead::kKept) {
    return step.Unsupported("content", "only one space at the start can be stripped");
  }
  decoder->lead = TokenDecoder::Lead::kSpaceDropped;
  return 4;
}

}  // namespace

absl::StatusOr<Surroundings> ReadPostProcessor(const JsonField& file) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found,
                   ReadSteps(file, "post_processor", "processors"));
  Surroundings around;
  for (const JsonField& step : found) {
    ASSIGN_OR_RETURN(const std::string type, step.String("type"));
    if (type == "ByteLevel") continue;  // only adjusts offsets, which we do not report
    if (type != "TemplateProcessing") return UnknownType(step, type);
    ASSIGN_OR_RETURN(const Surroundings outer, ReadTemplate(step));
    around.prefix.insert(around.prefix.begin(), outer.prefix.begin(), outer.prefix.end());
    around.suffix.insert(around.suffix.end(), outer.suffix.begin(), outer.suffix.end());
  }
  return around;
}

absl::StatusOr<Metaspace::Prepend> ReadPrependScheme(const JsonField& metaspace) {
  if (metaspace.Find("prepend_scheme") == nullptr) {
    ASSIGN_OR_RETURN(const bool prefix, metaspace.Bool("add_prefix_space", true));
    return prefix ? Metaspace::Prepend::kAlways : Metaspace::Prepend::kNever;
  }
  ASSIGN_OR_RETURN(const std::string scheme, metaspace.String("prepend_scheme"));
  if (scheme == "always") return Metaspace::Prepend::kAlways;
  if (scheme == "first") return Metaspace::Prepend::kFirst;
  if (scheme == "never") return Metaspace::Prepend::kNever;
  return metaspace.Unsupported("prepend_scheme", absl::StrCat(Quoted(scheme), " is not supported"));
}

absl::StatusOr<TokenDecoder> ReadDecoder(const JsonField& file, bool byte_level) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found, ReadSteps(file, "decoder", "decoders"));
  TokenDecoder decoder;
  decoder.byte_level = byte_level;
  if (byte_level) {
    for (const JsonField& step : found) {
      ASSIGN_OR_RETURN(const std::string type, step.String("type"));
      if (type != "ByteLevel") return UnknownType(step, type);
    }
    if (found.size() == 1) return decoder;
    return file.Unsupported("decoder", "a ByteLevel pre-tokenizer needs one ByteLevel decoder");
  }
  if (found.empty()) return file.Unsupported("decoder", "none is not supported");
  int place = 0;
  bool fused = false;
  for (const JsonField& step : found) {
    ASSIGN_OR_RETURN(const int next, AddDecoderStep(step, &decoder));
    fused = fused || next == 3;
    if (next <= place || (next == 4 && !fused)) {
      return step.Unsupported("type", "is not supported in this place");
    }
    place = next;
  }
  return decoder;
}

}  // namespace switchboard::text
