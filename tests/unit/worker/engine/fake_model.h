// A small deterministic model for engine tests. The "keys and values" of a token are a hash of its
// id (or image embedding) and position, and its logits a hash over those of all tokens up to
// itself, read through the pages. So any mistake in pages, positions, chunks or image rows changes
// tokens.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_FAKE_MODEL_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_FAKE_MODEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "worker/model/model.h"

namespace switchboard::engine {

inline constexpr int kFakeVocab = 96;  // usable ids
inline constexpr int kFakeRows =
    100;  // of the output layer; the last four win whenever they are allowed to
inline constexpr int kFakeHidden = 3;
inline constexpr int kImageToken = 94;
// A sequence with this token in it has logits that are not numbers.
inline constexpr int kPoisonToken = 95;
inline constexpr int kVisionBlocks = 3;

// The entry of one token in the cache.
uint64_t TextEntry(int32_t id, const model::Position& position);
uint64_t ImageEntry(const float* embedding, const model::Position& position);
// [grid_h * grid_w / 4, kFakeHidden]
std::vector<float> FakeEmbeddings(const std::vector<float>& patches, int grid_h, int grid_w);
model::PositionPlan FakePositions(int32_t tokens, absl::Span<const model::ImageRange> images);

// Hash of the entries of tokens [0, n], from that of [0, n - 1].
uint64_t Attend(uint64_t before, uint64_t entry);
// The row of logits for such a hash.
std::vector<float> FakeLogits(uint64_t hash, bool poisoned);

class FakeModel final : public model::Model {
 public:
  explicit FakeModel(int max_positions = 100000);

  const model::ModelShape& shape() const override { return shape_; }
  absl::StatusOr<std::unique_ptr<model::KvCache>> NewKvCache(int pages) override;
  absl::StatusOr<model::PositionPlan> PlanPositions(
      int32_t tokens, absl::Span<const model::ImageRange> images) const override;
  void Forward(absl::Span<const model::SequenceSlice> slices, model::KvCache* cache,
               float* logits) override;
  std::unique_ptr<model::ImageEncoding> EncodeImage(std::vector<float> patches, int grid_h,
                                                    int grid_w) override;

  // Called at the start of each pass, on the engine's thread.
  std::function<void()> before_forward;
  // The number of tokens of each pass.
  std::vector<int> passes;
  int images_encoded = 0;
  // Pages beyond which NewKvCache fails.
  int most_pages = 1000000;
  // Embeddings too few per image, as a broken model would give.
  bool short_embeddings = false;

 private:
  const model::ModelShape shape_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_FAKE_MODEL_H_
