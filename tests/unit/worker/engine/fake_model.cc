#include "tests/unit/worker/engine/fake_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace switchboard::engine {
namespace {

using model::kPageTokens;

constexpr uint64_t kGarbage = 0xDEADDEADDEADDEAD;
// Set in the entry of the poison token.
constexpr uint64_t kPoisonBit = 1;

// The finaliser of splitmix64.
uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

uint64_t MixPosition(uint64_t hash, const model::Position& position) {
  for (const int32_t axis : position) hash = Mix(hash ^ static_cast<uint32_t>(axis));
  return hash & ~kPoisonBit;
}

class FakeCache final : public model::KvCache {
 public:
  explicit FakeCache(int pages)
      : entries(static_cast<size_t>(pages) * kPageTokens, kGarbage), pages_(pages) {}

  int pages() const override { return pages_; }
  void CopyPage(int from, int to, int tokens) override {
    CHECK(from != to && tokens > 0 && tokens < kPageTokens);
    std::fill_n(entries.begin() + to * kPageTokens, kPageTokens, kGarbage);
    std::copy_n(entries.begin() + from * kPageTokens, tokens, entries.begin() + to * kPageTokens);
  }

  std::vector<uint64_t> entries;

 private:
  const int pages_;
};

class FakeEncoding final : public model::ImageEncoding {
 public:
  FakeEncoding(std::vector<float> embeddings, int* encoded)
      : embeddings_(std::move(embeddings)), encoded_(encoded) {}

  bool Step() override {
    CHECK(steps_ < kVisionBlocks);
    if (++steps_ < kVisionBlocks) return false;
    ++*encoded_;
    return true;
  }
  absl::Span<const float> Embeddings() const override {
    CHECK(steps_ == kVisionBlocks);
    return embeddings_;
  }

 private:
  const std::vector<float> embeddings_;
  int* const encoded_;
  int steps_ = 0;
};

const float* EmbeddingOfRow(const model::SequenceSlice& slice, int row) {
  for (const model::ImageRows& rows : slice.images) {
    if (row >= rows.row && row < rows.row + rows.count) {
      return rows.embeddings + static_cast<size_t>(row - rows.row) * kFakeHidden;
    }
  }
  return nullptr;
}

}  // namespace

uint64_t TextEntry(int32_t id, const model::Position& position) {
  const uint64_t entry = MixPosition(Mix(static_cast<uint32_t>(id)), position);
  return id == kPoisonToken ? entry | kPoisonBit : entry;
}

uint64_t ImageEntry(const float* embedding, const model::Position& position) {
  uint64_t hash = 7;
  for (int i = 0; i < kFakeHidden; ++i) hash = Mix(hash ^ std::bit_cast<uint32_t>(embedding[i]));
  return MixPosition(hash, position);
}

std::vector<float> FakeEmbeddings(const std::vector<float>& patches, int grid_h, int grid_w) {
  uint64_t hash = Mix(static_cast<uint64_t>(grid_h) * 1000 + static_cast<uint64_t>(grid_w));
  for (const float value : patches) hash = Mix(hash ^ std::bit_cast<uint32_t>(value));
  std::vector<float> embeddings(static_cast<size_t>(grid_h) * grid_w / 4 * kFakeHidden);
  for (float& value : embeddings) {
    hash = Mix(hash);
    value = static_cast<float>(hash >> 40);
  }
  return embeddings;
}

model::PositionPlan FakePositions(int32_t tokens, absl::Span<const model::ImageRange> images) {
  model::PositionPlan plan;
  int32_t next = 0;
  const auto text_until = [&](int32_t end) {
    while (static_cast<int32_t>(plan.prompt.size()) < end) {
      plan.prompt.push_back({next, next, next});
      ++next;
    }
  };
  for (const model::ImageRange& image : images) {
    text_until(image.offset);
    const int32_t rows = image.grid_h / 2, columns = image.grid_w / 2;
    for (int32_t y = 0; y < rows; ++y) {
      for (int32_t x = 0; x < columns; ++x) plan.prompt.push_back({next, next + y, next + x});
    }
    next += std::max(rows, columns);
  }
  text_until(tokens);
  plan.delta = next - tokens;
  return plan;
}

uint64_t Attend(uint64_t before, uint64_t entry) {
  return (Mix(before ^ entry) & ~kPoisonBit) | ((before | entry) & kPoisonBit);
}

std::vector<float> FakeLogits(uint64_t hash, bool poisoned) {
  std::vector<float> logits(kFakeRows);
  for (int id = 0; id < kFakeRows; ++id) {
    // 24 bits to [-4, 4)
    const uint64_t bits = Mix(hash + static_cast<uint64_t>(id)) >> 40;
    logits[id] = static_cast<float>(bits) * 0x1p-21f - 4.0f;
  }
  std::fill(logits.begin() + kFakeVocab, logits.end(), 1000.0f);
  // Never chosen by itself, so that tests decide where they occur.
  logits[kImageToken] = logits[kPoisonToken] = -1000.0f;
  if (poisoned) logits[17] = std::numeric_limits<float>::quiet_NaN();
  return logits;
}

FakeModel::FakeModel(int max_positions)
    : shape_{.vocab_size = kFakeRows,
             .hidden_size = kFakeHidden,
             .max_positions = max_positions,
             .kv_page_bytes = kPageTokens * 8,
             .has_vision = true} {}

absl::StatusOr<std::unique_ptr<model::KvCache>> FakeModel::NewKvCache(int pages) {
  if (pages > most_pages) return absl::ResourceExhaustedError("no memory for the cache");
  return std::make_unique<FakeCache>(pages);
}

absl::StatusOr<model::PositionPlan> FakeModel::PlanPositions(
    int32_t tokens, absl::Span<const model::ImageRange> images) const {
  for (const model::ImageRange& image : images) {
    if (image.grid_h % 2 != 0 || image.grid_w % 2 != 0) {
      return absl::InvalidArgumentError("an image grid is odd");
    }
  }
  return FakePositions(tokens, images);
}

void FakeModel::Forward(absl::Span<const model::SequenceSlice> slices, model::KvCache* cache,
                        float* logits) {
  if (before_forward) before_forward();
  std::vector<uint64_t>& entries = static_cast<FakeCache*>(cache)->entries;
  int tokens = 0;
  for (const model::SequenceSlice& slice : slices) {
    const int rows = static_cast<int>(slice.token_ids.size());
    CHECK(rows > 0 && slice.positions.size() == slice.token_ids.size());
    tokens += rows;
    const auto entry = [&](int token) -> uint64_t& {
      return entries[static_cast<size_t>(slice.pages[token / kPageTokens]) * kPageTokens +
                     token % kPageTokens];
    };
    uint64_t hash = 0;
    for (int token = 0; token < slice.first + rows; ++token) {
      const int row = token - slice.first;
      if (row >= 0) {
        const float* const embedding = EmbeddingOfRow(slice, row);
        CHECK((embedding != nullptr) == (slice.token_ids[row] == kImageToken));
        entry(token) = embedding != nullptr ? ImageEntry(embedding, slice.positions[row])
                                            : TextEntry(slice.token_ids[row], slice.positions[row]);
      }
      hash = Attend(hash, entry(token));
      if (row >= rows - slice.logit_rows) {
        const std::vector<float> values = FakeLogits(hash, (hash & kPoisonBit) != 0);
        logits = std::copy(values.begin(), values.end(), logits);
      }
    }
  }
  passes.push_back(tokens);
}

std::unique_ptr<model::ImageEncoding> FakeModel::EncodeImage(std::vector<float> patches, int grid_h,
                                                             int grid_w) {
  std::vector<float> embeddings = FakeEmbeddings(patches, grid_h, grid_w);
  if (short_embeddings) embeddings.pop_back();
  return std::make_unique<FakeEncoding>(std::move(embeddings), &images_encoded);
}

}  // namespace switchboard::engine
