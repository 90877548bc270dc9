// What the names under tokenizer.ggml.pre of a GGUF file stand for: the file itself has no
// patterns.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_GGUF_PRE_H_
#define SWITCHBOARD_TEXT_TOKENIZER_GGUF_PRE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/tokenizer/normalizer.h"
#include "text/tokenizer/pre_tokenizer.h"

namespace switchboard::text {

struct GgufPre {
  Normalizer normalizer;
  std::vector<SplitStage> stages;
  bool ignore_merges = false;
  bool add_bos = false;  // where the file does not say
};

// The pieces are those of the models' own tokenizers; names as llama.cpp's converter gives them.
// Unimplemented, with the names that are known, for any other, "default" and none included: a
// guess would give plausible but wrong ids.
absl::StatusOr<GgufPre> GgufPreByName(absl::string_view name);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_GGUF_PRE_H_
