#include "text/tokenizer/gguf_pre.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "text/tokenizer/known_patterns.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {
namespace {

using Patterns = absl::Span<const char* const>;

constexpr const char* kGpt2[] = {kGpt2Pattern};
constexpr const char* kDigitsThenGpt2[] = {"\\p{N}", kGpt2Pattern};
constexpr const char* kCl100k[] = {kCl100kPattern};
constexpr const char* kQwen2[] = {kQwen2Pattern};
constexpr const char* kDeepseekCoder[] = {
    "[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+",
    "[\\x{4E00}-\\x{9FA5}\\x{800}-\\x{4E00}\\x{AC00}-\\x{D7FF}]+", "\\p{N}"};
constexpr const char* kDeepseekV3[] = {
    "\\p{N}{1,3}", "[\\x{4E00}-\\x{9FA5}\\x{3040}-\\x{309F}\\x{30A0}-\\x{30FF}]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"
    "[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|"
    "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"};

struct Known {
  const char* name;
  Patterns patterns;
  bool nfc, ignore_merges, add_bos;
};

constexpr Known kKnown[] = {
    {"gpt-2", kGpt2, false, false, false},
    {"phi-2", kGpt2, false, false, false},
    {"smollm", kDigitsThenGpt2, false, false, false},
    {"starcoder", kDigitsThenGpt2, false, false, false},
    {"refact", kDigitsThenGpt2, false, false, false},
    {"command-r", kDigitsThenGpt2, false, false, false},
    {"llama-bpe", kCl100k, false, true, true},
    {"llama3", kCl100k, false, true, true},
    {"llama-v3", kCl100k, false, true, true},
    {"glm4", kCl100k, false, true, false},
    {"chatglm-bpe", kCl100k, false, true, false},
    {"qwen2", kQwen2, true, false, false},
    {"deepseek-r1-qwen", kQwen2, false, false, false},
    {"deepseek-coder", kDeepseekCoder, false, false, false},
    {"deepseek-v3", kDeepseekV3, false, false, false},
};

}  // namespace

absl::StatusOr<GgufPre> GgufPreByName(absl::string_view name) {
  std::string names;
  for (const Known& known : kKnown) {
    if (name != known.name) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", known.name);
      continue;
    }
    GgufPre pre;
    if (known.nfc) pre.normalizer = Normalizer({Normalizer::Form::kNfc});
    pre.ignore_merges = known.ignore_merges;
    pre.add_bos = known.add_bos;
    for (const char* pattern : known.patterns) {
      ASSIGN_OR_RETURN(SplitPattern compiled, SplitPattern::Compile(pattern));
      pre.stages.push_back(SplitStage{std::move(compiled)});
    }
    return pre;
  }
  return absl::UnimplementedError(
      absl::StrCat("tokenizer.ggml.pre: ", name.empty() ? "none" : Quoted(name),
                   " does not say how to cut text in a way known here; known: ", names,
                   ". Convert the model again, or give it a tokenizer.json"));
}

}  // namespace switchboard::text
