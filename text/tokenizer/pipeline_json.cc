#include "text/tokenizer/pipeline_json.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {
namespace {

constexpr size_t kMaxSteps = 64;

// Steps of a file in order, sequences unfolded: `member` of the file is null, one step, or a
// Sequence with its steps under `children` (which may be sequences again).
class Steps {
 public:
  static absl::StatusOr<std::vector<JsonField>> Read(const JsonField& file,
                                                     absl::string_view member,
                                                     absl::string_view children) {
    Steps steps(children);
    if (const Json* value = file.Find(member); value != nullptr) {
      RETURN_IF_ERROR(steps.Add(*value, file.Path(member), 0));
    }
    return std::move(steps.found_);
  }

 private:
  explicit Steps(absl::string_view children) : children_(children) {}

  absl::Status Add(const Json& value, const std::string& path, int depth) {
    constexpr int kMaxDepth = 8;
    ASSIGN_OR_RETURN(const JsonField step, JsonField::Of(value, path));
    ASSIGN_OR_RETURN(const std::string type, step.String("type"));
    if (type != "Sequence") {
      if (found_.size() == kMaxSteps) {
        return step.Invalid("type", absl::StrCat("more than ", kMaxSteps, " steps"));
      }
      found_.push_back(step);
      return absl::OkStatus();
    }
    if (depth == kMaxDepth) return step.Invalid("type", "sequences nested too deeply");
    ASSIGN_OR_RETURN(const JsonArray* list, step.List(children_));
    for (size_t i = 0; i < list->size(); ++i) {
      RETURN_IF_ERROR(Add((*list)[i], absl::StrCat(step.Path(children_), "[", i, "]"), depth + 1));
    }
    return absl::OkStatus();
  }

  const absl::string_view children_;
  std::vector<JsonField> found_;
};

absl::Status UnknownType(const JsonField& step, absl::string_view type) {
  return step.Unsupported("type", absl::StrCat(Quoted(type), " is not supported"));
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

}  // namespace

absl::StatusOr<Normalizer> ReadNormalizer(const JsonField& file) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found,
                   Steps::Read(file, "normalizer", "normalizers"));
  constexpr std::pair<const char*, Normalizer::Step> kKnown[] = {
      {"NFC", Normalizer::Step::kNfc},
      {"NFD", Normalizer::Step::kNfd},
      {"NFKC", Normalizer::Step::kNfkc},
      {"NFKD", Normalizer::Step::kNfkd},
      {"Lowercase", Normalizer::Step::kLowercase}};
  std::vector<Normalizer::Step> steps;
  for (const JsonField& step : found) {
    ASSIGN_OR_RETURN(const std::string type, step.String("type"));
    const size_t before = steps.size();
    for (const auto& [name, known] : kKnown) {
      if (type == name) steps.push_back(known);
    }
    if (steps.size() == before) return UnknownType(step, type);
  }
  return Normalizer(std::move(steps));
}

absl::StatusOr<PreTokenizer> ReadPreTokenizer(const JsonField& file) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found,
                   Steps::Read(file, "pre_tokenizer", "pretokenizers"));
  std::vector<SplitStage> stages, after_prefix;
  bool byte_level = false, prefix_space = false;
  for (const JsonField& step : found) {
    ASSIGN_OR_RETURN(const std::string type, step.String("type"));
    if (byte_level) return step.Unsupported("type", "a step after ByteLevel is not supported");
    if (type == "Split") {
      ASSIGN_OR_RETURN(SplitStage stage, ReadSplit(step));
      stages.push_back(std::move(stage));
    } else if (type == "Digits") {
      ASSIGN_OR_RETURN(SplitStage stage, ReadDigits(step));
      stages.push_back(std::move(stage));
    } else if (type == "ByteLevel") {
      byte_level = true;
      ASSIGN_OR_RETURN(prefix_space, step.Bool("add_prefix_space", true));
      ASSIGN_OR_RETURN(const bool use_regex, step.Bool("use_regex", true));
      if (!use_regex) continue;
      ASSIGN_OR_RETURN(SplitPattern pattern, SplitPattern::Compile(kGpt2Pattern));
      after_prefix.push_back(SplitStage{std::move(pattern)});
    } else {
      return UnknownType(step, type);
    }
  }
  if (!byte_level) {
    return file.Unsupported("pre_tokenizer", "only byte-level tokenizers are supported");
  }
  return PreTokenizer(std::move(stages), prefix_space, std::move(after_prefix));
}

absl::StatusOr<Surroundings> ReadPostProcessor(const JsonField& file) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found,
                   Steps::Read(file, "post_processor", "processors"));
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

absl::Status CheckDecoder(const JsonField& file) {
  ASSIGN_OR_RETURN(const std::vector<JsonField> found, Steps::Read(file, "decoder", "decoders"));
  for (const JsonField& step : found) {
    ASSIGN_OR_RETURN(const std::string type, step.String("type"));
    if (type != "ByteLevel") return UnknownType(step, type);
  }
  if (found.size() == 1) return absl::OkStatus();
  return file.Unsupported("decoder", "only one ByteLevel decoder is supported");
}

}  // namespace switchboard::text
