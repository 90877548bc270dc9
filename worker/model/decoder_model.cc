#include "worker/model/decoder_model.h"

#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "worker/model/mrope.h"

namespace switchboard::model {
namespace {

static_assert(kPageTokens == backend::kTileTokens, "a page is one attention tile");

class DecoderKvCache final : public KvCache {
 public:
  explicit DecoderKvCache(std::unique_ptr<backend::KvPages> pages) : pages_(std::move(pages)) {}
  int pages() const override { return pages_->pages(); }
  void CopyPage(int from, int to, int tokens) override { pages_->CopyPage(from, to, tokens); }
  backend::KvPages* get() { return pages_.get(); }

 private:
  const std::unique_ptr<backend::KvPages> pages_;
};

}  // namespace

DecoderModel::DecoderModel(const TextConfig& config, DecoderWeights weights,
                           std::unique_ptr<backend::Backend> backend)
    : backend_(std::move(backend)), text_(config, std::move(weights), backend_.get()) {
  shape_ = {.vocab_size = config.vocab_size,
            .hidden_size = config.hidden_size,
            .max_positions = config.max_positions,
            .kv_page_bytes = backend_->KvPageBytes(text_.head_shape(), text_.layers()),
            .has_vision = false};
}

absl::StatusOr<std::unique_ptr<KvCache>> DecoderModel::NewKvCache(int pages) {
  ASSIGN_OR_RETURN(std::unique_ptr<backend::KvPages> kv,
                   backend_->NewKvPages(text_.head_shape(), text_.layers(), pages));
  return std::make_unique<DecoderKvCache>(std::move(kv));
}

absl::StatusOr<PositionPlan> DecoderModel::PlanPositions(
    int32_t tokens, absl::Span<const ImageRange> images) const {
  if (!images.empty()) return absl::InvalidArgumentError("this model does not take images");
  return PlanMropePositions(tokens, {}, 1);
}

void DecoderModel::Forward(absl::Span<const SequenceSlice> slices, KvCache* cache, float* logits) {
  text_.Begin(slices);
  for (int layer = 0; layer < text_.layers(); ++layer) text_.RunLayer(layer, PagesOf(cache));
  text_.Finish(logits);
}

std::unique_ptr<ImageEncoding> DecoderModel::EncodeImage(std::vector<float> /*patches*/,
                                                         int /*grid_h*/, int /*grid_w*/) {
  CHECK(shape_.has_vision);
  return nullptr;
}

backend::KvPages* DecoderModel::PagesOf(KvCache* cache) {
  return static_cast<DecoderKvCache*>(cache)->get();
}

}  // namespace switchboard::model
