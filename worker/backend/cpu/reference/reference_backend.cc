#include "worker/backend/cpu/reference/reference_backend.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "worker/backend/half.h"

namespace switchboard::backend {
namespace {

class ReferenceMatrix final : public Matrix {
 public:
  ReferenceMatrix(int64_t columns, std::vector<float> values)
      : columns_(columns), values_(std::move(values)) {}
  int64_t rows() const override { return static_cast<int64_t>(values_.size()) / columns_; }
  int64_t columns() const override { return columns_; }
  const float* row(int64_t i) const { return values_.data() + i * columns_; }

 private:
  const int64_t columns_;
  const std::vector<float> values_;
};

// Keys, then values, each [page][layer][kv head][token][head_dim].
class ReferenceKvPages final : public KvPages {
 public:
  ReferenceKvPages(const HeadShape& shape, int layers, int pages)
      : shape_(shape),
        page_floats_(int64_t{layers} * shape.kv_heads * kTileTokens * shape.head_dim),
        pages_(pages),
        keys_(static_cast<size_t>(page_floats_ * pages)),
        values_(keys_.size()) {}
  int pages() const override { return pages_; }
  void CopyPage(int from, int to, int) override {
    for (std::vector<float>* all : {&keys_, &values_}) {
      std::copy_n(all->begin() + from * page_floats_, page_floats_,
                  all->begin() + to * page_floats_);
    }
  }
  float* key(int page, int layer, int head, int64_t token) {
    return keys_.data() + At(page, layer, head, token);
  }
  float* value(int page, int layer, int head, int64_t token) {
    return values_.data() + At(page, layer, head, token);
  }

 private:
  int64_t At(int page, int layer, int head, int64_t token) const {
    CHECK(page >= 0 && page < pages_);
    return page * page_floats_ +
           ((int64_t{layer} * shape_.kv_heads + head) * kTileTokens + token) * shape_.head_dim;
  }

  const HeadShape shape_;
  const int64_t page_floats_;
  const int pages_;
  std::vector<float> keys_, values_;
};

// y = softmax(q k^T / sqrt(n)) v over the given keys and values, n wide.
void Attend(const float* q, const std::vector<const float*>& keys,
            const std::vector<const float*>& values, int n, float* y) {
  std::vector<double> scores;
  for (const float* key : keys) {
    double score = 0;
    for (int i = 0; i < n; ++i) score += double{q[i]} * key[i];
    scores.push_back(score / std::sqrt(double{1} * n));
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (int i = 0; i < n; ++i) {
    double out = 0;
    for (size_t j = 0; j < scores.size(); ++j) out += scores[j] * values[j][i];
    y[i] = static_cast<float>(out / sum);
  }
}

class ReferenceBackend final : public Backend {
 public:
  absl::StatusOr<std::unique_ptr<Matrix>> NewMatrix(absl::Span<const TensorView> blocks,
                                                    DType storage) override {
    std::vector<float> values;
    for (const TensorView& block : blocks) {
      CHECK(block.columns() == blocks[0].columns());
      for (const float value : ToFloats(block)) {
        values.push_back(storage == DType::kBf16 ? Bf16ToFloat(FloatToBf16(value)) : value);
      }
    }
    return std::make_unique<ReferenceMatrix>(blocks[0].columns(), std::move(values));
  }
  absl::StatusOr<std::unique_ptr<KvPages>> NewKvPages(const HeadShape& shape, int layers,
                                                      int pages) override {
    return std::make_unique<ReferenceKvPages>(shape, layers, pages);
  }
  int64_t KvPageBytes(const HeadShape& shape, int layers) const override {
    return int64_t{2} * layers * shape.kv_heads * kTileTokens * shape.head_dim * 4;
  }

  void Embed(const Matrix& table, absl::Span<const int32_t> ids, Rows y) override {
    for (int64_t i = 0; i < y.rows; ++i) {
      const float* row =
          static_cast<const ReferenceMatrix&>(table).row(ids[static_cast<size_t>(i)]);
      std::copy_n(row, y.width, y.row(i));
    }
  }

  void RmsNorm(ConstRows x, absl::Span<const float> weight, float eps, Rows y) override {
    for (int64_t i = 0; i < x.rows; ++i) {
      double squares = 0;
      for (int64_t k = 0; k < x.width; ++k) squares += double{x.row(i)[k]} * x.row(i)[k];
      const double root = std::sqrt(squares / static_cast<double>(x.width) + eps);
      for (int64_t k = 0; k < x.width; ++k) {
        y.row(i)[k] = static_cast<float>(x.row(i)[k] / root * weight[static_cast<size_t>(k)]);
      }
    }
  }

  void RmsNormHeads(Rows x, int first, int heads, absl::Span<const float> weight,
                    float eps) override {
    const int64_t width = static_cast<int64_t>(weight.size());
    for (int64_t i = 0; i < x.rows; ++i) {
      const Rows head = {x.row(i) + first * width, heads, width};
      RmsNorm(head, weight, eps, head);
    }
  }

  void LayerNorm(ConstRows x, absl::Span<const float> weight, absl::Span<const float> bias,
                 float eps, Rows y) override {
    for (int64_t i = 0; i < x.rows; ++i) {
      double sum = 0, squares = 0;
      for (int64_t k = 0; k < x.width; ++k) sum += x.row(i)[k];
      const double mean = sum / static_cast<double>(x.width);
      for (int64_t k = 0; k < x.width; ++k) squares += std::pow(x.row(i)[k] - mean, 2);
      const double root = std::sqrt(squares / static_cast<double>(x.width) + eps);
      for (int64_t k = 0; k < x.width; ++k) {
        const size_t at = static_cast<size_t>(k);
        y.row(i)[k] = static_cast<float>((x.row(i)[k] - mean) / root * weight[at] + bias[at]);
      }
    }
  }

  void Linear(ConstRows x, const Matrix& w, absl::Span<const float> bias, Rows y) override {
    const auto& matrix = static_cast<const ReferenceMatrix&>(w);
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t n = 0; n < y.width; ++n) {
        double sum = bias.empty() ? 0 : bias[static_cast<size_t>(n)];
        for (int64_t k = 0; k < x.width; ++k) sum += double{x.row(i)[k]} * matrix.row(n)[k];
        y.row(i)[n] = static_cast<float>(sum);
      }
    }
  }

  void SiluMul(ConstRows gate_up, Rows y) override {
    for (int64_t i = 0; i < y.rows; ++i) {
      for (int64_t k = 0; k < y.width; ++k) {
        const double gate = gate_up.row(i)[k];
        y.row(i)[k] =
            static_cast<float>(gate / (1 + std::exp(-gate)) * gate_up.row(i)[y.width + k]);
      }
    }
  }

  void GeluErf(Rows x) override {
    for (int64_t i = 0; i < x.rows * x.width; ++i) {
      x.data[i] = static_cast<float>(x.data[i] * 0.5 * (1 + std::erf(x.data[i] / std::sqrt(2.0))));
    }
  }

  void Add(ConstRows x, Rows y) override {
    for (int64_t i = 0; i < x.rows * x.width; ++i) y.data[i] += x.data[i];
  }

  void CosSin(absl::Span<const float> angles, float* cosines, float* sines) override {
    for (size_t i = 0; i < angles.size(); ++i) {
      cosines[i] = static_cast<float>(std::cos(double{angles[i]}));
      sines[i] = static_cast<float>(std::sin(double{angles[i]}));
    }
  }

  void RotateAdjacent(Rows x, int heads, int head_dim, ConstRows cosines,
                      ConstRows sines) override {
    Rotate(x, heads, head_dim, cosines, sines, 2, 1);
  }
  void RotateHalves(Rows x, int heads, int head_dim, ConstRows cosines, ConstRows sines) override {
    Rotate(x, heads, head_dim, cosines, sines, 1, cosines.width);
  }

  void WriteKv(ConstRows qkv, const HeadShape& shape, absl::Span<const SequenceRows> sequences,
               int layer, KvPages* kv) override {
    auto& pages = static_cast<ReferenceKvPages&>(*kv);
    for (const SequenceRows& s : sequences) {
      for (int64_t i = 0; i < s.rows; ++i) {
        const int64_t token = s.position + i;
        const int page = s.pages[static_cast<size_t>(token / kTileTokens)];
        for (int head = 0; head < shape.kv_heads; ++head) {
          const float* k = qkv.row(s.row + i) + shape.q_width() + int64_t{head} * shape.head_dim;
          std::copy_n(k, shape.head_dim, pages.key(page, layer, head, token % kTileTokens));
          std::copy_n(k + int64_t{shape.kv_heads} * shape.head_dim, shape.head_dim,
                      pages.value(page, layer, head, token % kTileTokens));
        }
      }
    }
  }

  void PagedAttention(ConstRows qkv, const HeadShape& shape,
                      absl::Span<const SequenceRows> sequences, int layer, const KvPages& kv,
                      Rows y) override {
    auto& pages = const_cast<ReferenceKvPages&>(static_cast<const ReferenceKvPages&>(kv));
    for (const SequenceRows& s : sequences) {
      for (int64_t i = 0; i < s.rows; ++i) {
        for (int head = 0; head < shape.heads; ++head) {
          const int kv_head = head / (shape.heads / shape.kv_heads);
          std::vector<const float*> keys, values;
          const int64_t last = s.position + i;
          const int64_t first =
              shape.window == 0 ? 0 : std::max<int64_t>(0, last - shape.window + 1);
          for (int64_t token = first; token <= last; ++token) {
            const int page = s.pages[static_cast<size_t>(token / kTileTokens)];
            keys.push_back(pages.key(page, layer, kv_head, token % kTileTokens));
            values.push_back(pages.value(page, layer, kv_head, token % kTileTokens));
          }
          const int64_t at = int64_t{head} * shape.head_dim;
          Attend(qkv.row(s.row + i) + at, keys, values, shape.head_dim, y.row(s.row + i) + at);
        }
      }
    }
  }

  void FullAttention(ConstRows qkv, const HeadShape& shape, Rows y) override {
    for (int head = 0; head < shape.heads; ++head) {
      const int64_t kv_head = head / (shape.heads / shape.kv_heads);
      std::vector<const float*> keys, values;
      for (int64_t token = 0; token < qkv.rows; ++token) {
        keys.push_back(qkv.row(token) + shape.q_width() + kv_head * shape.head_dim);
        values.push_back(keys.back() + int64_t{shape.kv_heads} * shape.head_dim);
      }
      const int64_t at = int64_t{head} * shape.head_dim;
      for (int64_t i = 0; i < qkv.rows; ++i) {
        Attend(qkv.row(i) + at, keys, values, shape.head_dim, y.row(i) + at);
      }
    }
  }

  void GatherRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) override {
    for (int64_t i = 0; i < y.rows; ++i) {
      std::copy_n(x.row(indices[static_cast<size_t>(i)]), x.width, y.row(i));
    }
  }
  void ScatterRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) override {
    for (int64_t i = 0; i < x.rows; ++i) {
      std::copy_n(x.row(i), x.width, y.row(indices[static_cast<size_t>(i)]));
    }
  }

  void AddBicubic(absl::Span<const float> table, int side, absl::Span<const float> sample_y,
                  absl::Span<const float> sample_x, Rows y) override {
    for (int64_t i = 0; i < y.rows; ++i) {
      const double sy = sample_y[static_cast<size_t>(i)], sx = sample_x[static_cast<size_t>(i)];
      for (int64_t k = 0; k < y.width; ++k) {
        double sum = 0;
        for (int dy = -1; dy <= 2; ++dy) {
          for (int dx = -1; dx <= 2; ++dx) {
            const double cell_y = std::floor(sy) + dy, cell_x = std::floor(sx) + dx;
            const int64_t row = static_cast<int64_t>(std::clamp(cell_y, 0.0, side - 1.0));
            const int64_t column = static_cast<int64_t>(std::clamp(cell_x, 0.0, side - 1.0));
            sum += Cubic(sy - cell_y) * Cubic(sx - cell_x) *
                   table[static_cast<size_t>((row * side + column) * y.width + k)];
          }
        }
        y.row(i)[k] += static_cast<float>(sum);
      }
    }
  }

 private:
  static double Cubic(double distance) {
    constexpr double kA = -0.75;
    const double u = std::abs(distance);
    if (u <= 1) return ((kA + 2) * u - (kA + 3)) * u * u + 1;
    return u < 2 ? ((kA * u - 5 * kA) * u + 8 * kA) * u - 4 * kA : 0;
  }

  // Pair i of a head is its elements i * step and i * step + apart.
  static void Rotate(Rows x, int heads, int head_dim, ConstRows cosines, ConstRows sines,
                     int64_t step, int64_t apart) {
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t head = 0; head < heads; ++head) {
        for (int64_t pair = 0; pair < cosines.width; ++pair) {
          float* a = x.row(i) + head * head_dim + pair * step;
          const double c = cosines.row(i)[pair], s = sines.row(i)[pair], first = a[0];
          const double second = a[apart];
          a[0] = static_cast<float>(first * c - second * s);
          a[apart] = static_cast<float>(second * c + first * s);
        }
      }
    }
  }
};

}  // namespace

std::unique_ptr<Backend> NewReferenceBackend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace switchboard::backend
