#include "text/tokenizer/pipeline_json.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "text/tokenizer/known_patterns.h"
#include "text/tokenizer/pipeline_steps.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {
namespace {

// A text that is put into every text, so that it must be short.
absl::StatusOr<std::string> ReadShortText(const JsonField& step, absl::string_view key) {
  constexpr size_t kMaxBytes = 64;
  ASSIGN_OR_RETURN(std::string text, step.String(key));
  if (text.size() > kMaxBytes) {
    return step.Invalid(key, absl::StrCat("is longer than ", kMaxBytes, " bytes"));
  }
  return text;
}

// {"Regex": "..."} or {"String": "..."}.
absl::StatusOr<SplitPattern> ReadPattern(const JsonField& step) {
  ASSIGN_OR_RETURN(const JsonField pattern, step.Object("pattern"));
  const bool literal = pattern.Find("String") != nullptr;
  const char* const key = literal ? "String" : "Regex";
  ASSIGN_OR_RETURN(const std::string text, pattern.String(key));
  if (text.empty()) return pattern.Invalid(key, "is empty");
  absl::StatusOr<SplitPattern> compiled =
      literal ? SplitPattern::Literal(text) : SplitPattern::Compile(text);
  if (!compiled.ok()) return Annotate(compiled.status(), pattern.Path(key));
  return compiled;
}

absl::StatusOr<SplitStage> ReadSplit(const JsonField& step) {
  ASSIGN_OR_RETURN(SplitPattern pattern, ReadPattern(step));
  ASSIGN_OR_RETURN(const std::string behavior, step.String("behavior"));
  ASSIGN_OR_RETURN(const bool invert, step.Bool("invert", false));
  if (behavior == "Isolated") return SplitStage{std::move(pattern)};
  if (behavior == "Removed") {
    return SplitStage{std::move(pattern), /*keep_matches=*/invert, /*keep_gaps=*/!invert};
  }
  return step.Unsupported("behavior", absl::StrCat(Quoted(behavior), " is not supported"));
}

absl::StatusOr<SplitStage> ReadDigits(const JsonField& step) {
  ASSIGN_OR_RETURN(const bool individual, step.Bool("individual_digits", false));
  ASSIGN_OR_RETURN(SplitPattern pattern, SplitPattern::Compile(individual ? "\\p{N}" : "\\p{N}+"));
  return SplitStage{std::move(pattern)};
}

absl::StatusOr<Normalizer::Step> ReadNormalizerStep(const JsonField& step) {
  constexpr std::pair<const char*, Normalizer::Form> kForms[] = {
      {"NFC", Normalizer::Form::kNfc},
      {"NFD", Normalizer::Form::kNfd},
      {"NFKC", Normalizer::Form::kNfkc},
      {"NFKD", Normalizer::Form::kNfkd},
      {"Lowercase", Normalizer::Form::kLowercase}};
  ASSIGN_OR_RETURN(const std::string type, step.String("type"));
  for (const auto& [name, form] : kForms) {
    if (type == name) return Normalizer::Step(form);
  }
  if (type == "Prepend") {
    ASSIGN_OR_RETURN(std::string text, ReadShortText(step, "prepend"));
    return Normalizer::Step(Normalizer::Prepend{std::move(text)});
  }
  if (type == "Replace") {
    ASSIGN_OR_RETURN(SplitPattern pattern, ReadPattern(step));
    ASSIGN_OR_RETURN(std::string content, ReadShortText(step, "content"));
    return Normalizer::Step(Normalizer::Replace{
        std::make_shared<const SplitPattern>(std::move(pattern)), std::move(content)});
  }
  return UnknownType(step, type);
}

// How many times longer a Replace may make a text: a regular expression may match between all
// characters, too.
absl::StatusOr<size_t> GrowthOf(const JsonField& step, const Normalizer::Replace& replace) {
  ASSIGN_OR_RETURN(const JsonField pattern, step.Object("pattern"));
  const bool literal = pattern.Find("String") != nullptr;
  return std::max<size_t>(1, replace.content.size() + (literal ? 0 : 1));
}

absl::StatusOr<PreTokenizer> ReadByteLevel(const JsonField& step, std::vector<SplitStage> stages) {
  ASSIGN_OR_RETURN(const bool prefix_space, step.Bool("add_prefix_space", true));
  ASSIGN_OR_RETURN(const bool use_regex, step.Bool("use_regex", true));
  std::vector<SplitStage> after_prefix;
  if (use_regex) {
    ASSIGN_OR_RETURN(SplitPattern pattern, SplitPattern::Compile(kGpt2Pattern));
    after_prefix.push_back(SplitStage{std::move(pattern)});
  }
  return PreTokenizer(std::move(stages), prefix_space, std::move(after_prefix));
}

absl::StatusOr<Metaspace> ReadMetaspace(const JsonField& step) {
  Metaspace metaspace;
  ASSIGN_OR_RETURN(metaspace.replacement, ReadShortText(step, "replacement"));
  if (metaspace.replacement.empty()) return step.Invalid("replacement", "is empty");
  ASSIGN_OR_RETURN(metaspace.split, step.Bool("split", true));
  ASSIGN_OR_RETURN(metaspace.prepend, ReadPrependScheme(step));
  return metaspace;
}

}  // namespace

absl::StatusOr<Normalizer> ReadNormalizer(const JsonField& file) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found,
                   ReadSteps(file, "normalizer", "normalizers"));
  constexpr size_t kMaxGrowth = 64;
  size_t growth = 1;
  std::vector<Normalizer::Step> steps;
  for (const JsonField& step : found) {
    ASSIGN_OR_RETURN(Normalizer::Step read, ReadNormalizerStep(step));
    if (const auto* replace = absl::get_if<Normalizer::Replace>(&read)) {
      ASSIGN_OR_RETURN(const size_t factor, GrowthOf(step, *replace));
      growth *= factor;
    }
    if (growth > kMaxGrowth) {
      return step.Invalid("content",
                          absl::StrCat("makes texts more than ", kMaxGrowth, " times longer"));
    }
    steps.push_back(std::move(read));
  }
  return Normalizer(std::move(steps));
}

absl::StatusOr<PreTokenization> ReadPreTokenizer(const JsonField& file) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found,
                   ReadSteps(file, "pre_tokenizer", "pretokenizers"));
  std::vector<SplitStage> stages;
  for (const JsonField& step : found) {
    const bool last = &step == &found.back();
    ASSIGN_OR_RETURN(const std::string type, step.String("type"));
    if (type == "Split") {
      ASSIGN_OR_RETURN(SplitStage stage, ReadSplit(step));
      stages.push_back(std::move(stage));
    } else if (type == "Digits") {
      ASSIGN_OR_RETURN(SplitStage stage, ReadDigits(step));
      stages.push_back(std::move(stage));
    } else if ((type == "ByteLevel" || type == "Metaspace") && !last) {
      return step.Unsupported("type", absl::StrCat("a step after ", type, " is not supported"));
    } else if (type == "ByteLevel") {
      ASSIGN_OR_RETURN(PreTokenizer byte_level, ReadByteLevel(step, std::move(stages)));
      return PreTokenization{std::move(byte_level), /*byte_level=*/true};
    } else if (type == "Metaspace") {
      ASSIGN_OR_RETURN(Metaspace metaspace, ReadMetaspace(step));
      return PreTokenization{PreTokenizer(std::move(stages), std::move(metaspace)),
                             /*byte_level=*/false};
    } else {
      return UnknownType(step, type);
    }
  }
  return PreTokenization{PreTokenizer(std::move(stages), false, {}), /*byte_level=*/false};
}

}  // namespace switchboard::text
