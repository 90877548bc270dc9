#include "worker/service/fingerprint.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/digest.h"

namespace switchboard::worker {
namespace {

constexpr size_t kHexDigits = 16;

std::string ImageText(const ImageRules& rules) {
  const media::PatchGrid& grid = rules.grid;
  std::string text =
      absl::StrCat(grid.patch_size, " ", grid.merge_size, " ", grid.temporal_patch_size, " ",
                   grid.min_pixels, " ", grid.max_pixels, " ", rules.image_token_id);
  // Nine digits tell any two floats apart.
  for (const float value : rules.normalization.mean) absl::StrAppendFormat(&text, " %.9g", value);
  for (const float value : rules.normalization.deviation) {
    absl::StrAppendFormat(&text, " %.9g", value);
  }
  return text;
}

}  // namespace

std::string FingerprintOf(absl::string_view weights, absl::string_view numerics,
                          const ModelFiles& files) {
  Sha256 sha;
  // Digests all have one length: no two lists of parts run together to the same bytes.
  const auto add = [&sha](absl::string_view part) { sha.Update(Sha256Of(part)); };
  add(weights);
  add(numerics);
  add(files.tokenizer_json);
  add(files.chat_template);
  add(files.bos_token);
  add(files.eos_token);
  add(absl::StrJoin(files.eos_token_ids, " "));
  if (files.images.has_value()) {
    add(files.images->image_token);
    add(files.images->placeholder);
    add(ImageText(*files.images));
  }
  return ToHex(sha.Finish()).substr(0, kHexDigits);
}

}  // namespace switchboard::worker
