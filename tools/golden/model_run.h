// Runs one sequence through a model, for the judges of models.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_MODEL_RUN_H_
#define SWITCHBOARD_TOOLS_GOLDEN_MODEL_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "worker/model/decoder_model.h"
#include "worker/model/glm4v_model.h"
#include "worker/model/model.h"

namespace switchboard::golden {

// An image of a prompt: where it stands, and its rows from the vision tower.
struct PromptImage {
  model::ImageRange range;
  std::vector<float> embeddings;
};

// The checkpoint on the fast back end with every processor; of any family, or of GLM-4.1V's alone.
absl::StatusOr<std::unique_ptr<model::DecoderModel>> LoadTextForJudging(const std::string& path);
absl::StatusOr<std::unique_ptr<model::Glm4vModel>> LoadForJudging(const std::string& dir);

// The rows of an image from the whole tower.
std::vector<float> EncodeWhole(model::Model* model, std::vector<float> patches, int grid_h,
                               int grid_w);

// One sequence with a KV cache of its own. The model is borrowed.
class SequenceRun {
 public:
  static absl::StatusOr<SequenceRun> Create(model::Model* model, int max_tokens);

  // Computes the prompt; the logits of its last `rows` tokens, float [rows, vocab]. Call once,
  // first.
  absl::StatusOr<std::vector<float>> Prompt(const std::vector<int32_t>& ids,
                                            const std::vector<PromptImage>& images, int rows);
  // Computes one more token; its logits.
  std::vector<float> Next(int32_t id);

  const model::PositionPlan& positions() const { return positions_; }
  // The prompt as a slice without images; borrows from this object and `ids`.
  model::SequenceSlice PromptSlice(const std::vector<int32_t>& ids, int rows) const;
  model::KvCache* cache() { return cache_.get(); }
  // Positions of the prompt, as Prompt plans them, without computing it.
  absl::Status Plan(int tokens, const std::vector<PromptImage>& images);

 private:
  SequenceRun(model::Model* model, std::unique_ptr<model::KvCache> cache);

  model::Model* model_;
  std::unique_ptr<model::KvCache> cache_;
  std::vector<int32_t> pages_;
  model::PositionPlan positions_;
  int32_t tokens_ = 0;
};

// The lowest id among the largest logits.
int32_t BestOf(absl::Span<const float> logits);

// The logarithm of the softmax, in double.
std::vector<double> LogProbabilities(absl::Span<const float> logits);

// The largest absolute difference; infinity when one is not finite. REQUIRES: equal sizes.
double LargestDifference(absl::Span<const float> want, absl::Span<const float> got);

// DataLoss "WHAT differs by D, more than T" unless they are as long and that close.
absl::Status Close(absl::string_view what, absl::Span<const float> want,
                   absl::Span<const float> got, double tolerance);

// InvalidArgument unless there are ids and all are of the model's vocabulary.
absl::Status CheckIds(const std::vector<int64_t>& numbers, const model::ModelShape& shape);

// REQUIRES: CheckIds is OK.
std::vector<int32_t> AsIds(const std::vector<int64_t>& numbers);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_MODEL_RUN_H_
