// A text decoder as a Model: all of a text model, and the base of one that takes images.
#ifndef SWITCHBOARD_WORKER_MODEL_DECODER_MODEL_H_
#define SWITCHBOARD_WORKER_MODEL_DECODER_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/decoder.h"
#include "worker/model/model.h"

namespace switchboard::model {

class DecoderModel : public Model {
 public:
  DecoderModel(const TextConfig& config, DecoderWeights weights,
               std::unique_ptr<backend::Backend> backend);

  const ModelShape& shape() const override { return shape_; }
  absl::StatusOr<std::unique_ptr<KvCache>> NewKvCache(int pages) override;
  // InvalidArgument when there are images.
  absl::StatusOr<PositionPlan> PlanPositions(int32_t tokens,
                                             absl::Span<const ImageRange> images) const override;
  void Forward(absl::Span<const SequenceSlice> slices, KvCache* cache, float* logits) override;
  std::unique_ptr<ImageEncoding> EncodeImage(std::vector<float> patches, int grid_h,
                                             int grid_w) override;

  // For whoever wants to look between the layers.
  Decoder& text() { return text_; }
  // REQUIRES: made by NewKvCache of this class.
  static backend::KvPages* PagesOf(KvCache* cache);

 protected:
  backend::Backend* backend() const { return backend_.get(); }
  void set_has_vision() { shape_.has_vision = true; }

 private:
  const std::unique_ptr<backend::Backend> backend_;
  Decoder text_;
  ModelShape shape_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_DECODER_MODEL_H_
