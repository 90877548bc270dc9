#include "tests/bench/decode/random_decoder.h"

#include <random>
#include <utility>
#include <vector>

#include "base/check.h"

namespace switchboard::bench {
namespace {

model::TextConfig SmallConfig() {
  model::TextConfig config;
  config.vocab_size = 49152;
  config.hidden_size = 576;
  config.mlp_size = 1536;
  config.layers = 30;
  config.heads = 9;
  config.kv_heads = 3;
  config.head_dim = 64;
  config.rms_norm_eps = 1e-5f;
  config.rotary.theta = 100000;
  config.rotary.pairs = 32;
  config.rotary.sections = {32, 0, 0};
  config.max_positions = 8192;
  config.tie_word_embeddings = true;
  return config;
}

// Makes random matrices and counts their bytes.
class Maker {
 public:
  explicit Maker(backend::Backend* backend) : backend_(backend) {}

  std::unique_ptr<backend::Matrix> Matrix(int64_t rows, int64_t columns) {
    std::vector<float> values(static_cast<size_t>(rows * columns));
    std::uniform_real_distribution<float> uniform(-0.05f, 0.05f);
    for (float& value : values) value = uniform(random_);
    const backend::TensorView view = {.dtype = backend::DType::kF32,
                                      .shape = {rows, columns},
                                      .bytes = reinterpret_cast<const char*>(values.data())};
    bytes_ += rows * columns * static_cast<int64_t>(sizeof(float));
    auto matrix = backend_->NewMatrix({view}, backend::DType::kF32);
    CHECK(matrix.ok());
    return *std::move(matrix);
  }
  int64_t bytes() const { return bytes_; }

 private:
  backend::Backend* const backend_;
  std::mt19937 random_{1};
  int64_t bytes_ = 0;
};

}  // namespace

RandomDecoder NewRandomDecoder(std::unique_ptr<backend::Backend> backend) {
  const model::TextConfig c = SmallConfig();
  const int64_t h = c.hidden_size, m = c.mlp_size, q = int64_t{c.heads} * c.head_dim;
  const int64_t qkv = q + int64_t{2} * c.kv_heads * c.head_dim;
  const std::vector<float> norm(static_cast<size_t>(h), 1.0f);
  Maker make(backend.get());
  model::DecoderWeights weights;
  weights.embedding = make.Matrix(c.vocab_size, h);
  for (int i = 0; i < c.layers; ++i) {
    model::DecoderLayer layer;
    layer.input_norm = layer.pre_mlp_norm = norm;
    layer.qkv.weight = make.Matrix(qkv, h);
    layer.out.weight = make.Matrix(h, q);
    layer.gate_up.weight = make.Matrix(2 * m, h);
    layer.down.weight = make.Matrix(h, m);
    weights.layers.push_back(std::move(layer));
  }
  weights.final_norm = norm;
  RandomDecoder decoder;
  decoder.weight_bytes = make.bytes();
  decoder.model = std::make_unique<model::DecoderModel>(c, std::move(weights), std::move(backend));
  return decoder;
}

}  // namespace switchboard::bench
