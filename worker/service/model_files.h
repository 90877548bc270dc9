// The small files beside the weights: tokenizer, chat template, end tokens, sampling defaults,
// image limits.
#ifndef SWITCHBOARD_WORKER_SERVICE_MODEL_FILES_H_
#define SWITCHBOARD_WORKER_SERVICE_MODEL_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json.h"
#include "media/patches.h"
#include "media/smart_resize.h"

namespace switchboard::worker {

// What generation_config.json says about requests that do not say it themselves. `do_sample: false`
// without a temperature is temperature 0.
struct SamplingDefaults {
  std::optional<float> temperature, top_p, min_p, repetition_penalty;
  std::optional<int> top_k, max_new_tokens;
};

// How images are sized and normalised (preprocessor_config.json) and written into prompts
// (config.json).
struct ImageRules {
  media::PatchGrid grid;
  media::PixelNormalization normalization;
  int32_t image_token_id = -1;
  std::string image_token;  // its text
  std::string placeholder;  // begin marker + image_token + end marker
};

struct ModelFiles {
  std::string tokenizer_json;  // what Tokenizer::FromJson reads
  std::string chat_template;   // empty: the folder has none
  std::string bos_token, eos_token;
  std::vector<int32_t> eos_token_ids;  // union over config and generation config, sorted
  int usable_vocab = 0;                // highest id of the tokenizer + 1; ids beyond are padding
  SamplingDefaults sampling;
  std::optional<ImageRules> images;  // absent: a text-only model
};

// Reads the files of a checkpoint folder, or what a file whose name ends with ".gguf" has in their
// place (see gguf_files.h). NotFound or InvalidArgument with the file and the key; a file that may
// be absent (template, generation config) is no error.
absl::StatusOr<ModelFiles> ReadModelFiles(const std::string& path);

// Takes the tokenizer from `folder` (see text/tokenizer/tokenizer_folder.h), the texts of bos and
// eos from its tokenizer_config.json when it is there. End tokens, template and images stay as they
// are. Errors as above.
absl::Status ReplaceTokenizer(const std::string& folder, ModelFiles* files);
// Takes the chat template from a file.
absl::Status ReplaceTemplate(const std::string& path, ModelFiles* files);

// Most placeholders that one image takes under `rules`.
int MaxImageTokens(const ImageRules& rules);

// Applies --mm-processor-kwargs ({"min_pixels": N, "max_pixels": N}) to `rules`. InvalidArgument
// for another key, for a value that is no positive whole number up to media::kMaxPixelBudget, and
// for bounds that cross.
absl::Status ApplyProcessorKwargs(const std::string& json, ImageRules* rules);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_MODEL_FILES_H_
