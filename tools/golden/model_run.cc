#include "tools/golden/model_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/backend/cpu/cpu_backend.h"
#include "worker/backend/cpu/team.h"
#include "worker/model/model_factory.h"

namespace switchboard::golden {

absl::StatusOr<std::unique_ptr<model::DecoderModel>> LoadTextForJudging(const std::string& path) {
  return model::LoadOnBackend(
      path, "auto", backend::NewCpuBackend(backend::UsableProcessors(), backend::DetectIsa()));
}

absl::StatusOr<std::unique_ptr<model::Glm4vModel>> LoadForJudging(const std::string& dir) {
  return model::LoadGlm4v(
      dir, "auto", backend::NewCpuBackend(backend::UsableProcessors(), backend::DetectIsa()));
}

std::vector<float> EncodeWhole(model::Model* model, std::vector<float> patches, int grid_h,
                               int grid_w) {
  const std::unique_ptr<model::ImageEncoding> encoding =
      model->EncodeImage(std::move(patches), grid_h, grid_w);
  while (!encoding->Step()) {
  }
  return {encoding->Embeddings().begin(), encoding->Embeddings().end()};
}

absl::StatusOr<SequenceRun> SequenceRun::Create(model::Model* model, int max_tokens) {
  ASSIGN_OR_RETURN(std::unique_ptr<model::KvCache> cache,
                   model->NewKvCache(max_tokens / model::kPageTokens + 1));
  return SequenceRun(model, std::move(cache));
}

SequenceRun::SequenceRun(model::Model* model, std::unique_ptr<model::KvCache> cache)
    : model_(model), cache_(std::move(cache)) {
  for (int i = 0; i < cache_->pages(); ++i) pages_.push_back(i);
}

absl::Status SequenceRun::Plan(int tokens, const std::vector<PromptImage>& images) {
  std::vector<model::ImageRange> ranges;
  for (const PromptImage& image : images) ranges.push_back(image.range);
  ASSIGN_OR_RETURN(positions_, model_->PlanPositions(tokens, ranges));
  return absl::OkStatus();
}

model::SequenceSlice SequenceRun::PromptSlice(const std::vector<int32_t>& ids, int rows) const {
  return {.token_ids = ids,
          .positions = positions_.prompt,
          .first = 0,
          .pages = pages_,
          .images = {},
          .logit_rows = rows};
}

absl::StatusOr<std::vector<float>> SequenceRun::Prompt(const std::vector<int32_t>& ids,
                                                       const std::vector<PromptImage>& images,
                                                       int rows) {
  const int64_t hidden = model_->shape().hidden_size;
  RETURN_IF_ERROR(Plan(static_cast<int>(ids.size()), images));
  std::vector<model::ImageRows> image_rows;
  for (const PromptImage& image : images) {
    image_rows.push_back(
        {image.range.offset,
         static_cast<int32_t>(image.embeddings.size() / static_cast<size_t>(hidden)),
         image.embeddings.data()});
  }
  model::SequenceSlice slice = PromptSlice(ids, rows);
  slice.images = image_rows;
  std::vector<float> logits(static_cast<size_t>(rows) *
                            static_cast<size_t>(model_->shape().vocab_size));
  model_->Forward({slice}, cache_.get(), logits.data());
  tokens_ = static_cast<int32_t>(ids.size());
  return logits;
}

std::vector<float> SequenceRun::Next(int32_t id) {
  const int32_t place = tokens_ + positions_.delta;
  const model::Position position = {place, place, place};
  std::vector<float> logits(static_cast<size_t>(model_->shape().vocab_size));
  model_->Forward({{.token_ids = {&id, 1},
                    .positions = {&position, 1},
                    .first = tokens_,
                    .pages = pages_,
                    .images = {},
                    .logit_rows = 1}},
                  cache_.get(), logits.data());
  ++tokens_;
  return logits;
}

int32_t BestOf(absl::Span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

std::vector<double> LogProbabilities(absl::Span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  std::vector<double> logprobs;
  for (const float logit : logits) logprobs.push_back(logit - largest - std::log(sum));
  return logprobs;
}

double LargestDifference(absl::Span<const float> want, absl::Span<const float> got) {
  double largest = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    const double difference = std::abs(double{want[i]} - double{got[i]});
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

absl::Status Close(absl::string_view what, absl::Span<const float> want,
                   absl::Span<const float> got, double tolerance) {
  if (want.size() != got.size()) {
    return absl::DataLossError(
        absl::StrCat(what, ": want ", want.size(), " values, got ", got.size()));
  }
  const double difference = LargestDifference(want, got);
  if (difference <= tolerance) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(what, " differs by ", difference, ", more than ", tolerance));
}

absl::Status CheckIds(const std::vector<int64_t>& numbers, const model::ModelShape& shape) {
  if (numbers.empty()) return absl::InvalidArgumentError("there are no token ids");
  for (const int64_t id : numbers) {
    if (id < 0 || id >= shape.vocab_size) {
      return absl::InvalidArgumentError(absl::StrCat(id, " is no token id of the model"));
    }
  }
  return absl::OkStatus();
}

std::vector<int32_t> AsIds(const std::vector<int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace switchboard::golden
