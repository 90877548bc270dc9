#include "worker/model/decoder_weights.h"

#include "absl/strings/str_cat.h"

namespace switchboard::model {
namespace {

// Tied: the embedding serves as output layer, whether or not the file repeats it. When the file has
// another output layer all the same, that one is used, as transformers 5 does.
void ReadHead(const TextConfig& c, WeightReader* reader, DecoderWeights* w) {
  const WeightSpec embedding = {"language_model.embed_tokens.weight",
                                {c.vocab_size, c.hidden_size}};
  const WeightSpec head = {"lm_head.weight", {c.vocab_size, c.hidden_size}};
  if (c.tie_word_embeddings && !reader->Has(head.name)) return;
  if (c.tie_word_embeddings && reader->Has(embedding.name)) {
    if (reader->Equal(embedding.name, head.name)) return reader->Drop(head);
    w->warning =
        "tie_word_embeddings is true, but lm_head.weight differs from the embedding: using "
        "lm_head.weight";
  }
  w->lm_head = reader->ReadMatrix({head});
}

}  // namespace

LayerReader::LayerReader(const TextConfig& config, int layer, WeightReader* reader)
    : config_(config),
      prefix_(absl::StrCat("language_model.layers.", layer, ".")),
      reader_(reader) {}

std::vector<float> LayerReader::Norm(absl::string_view name) const {
  return reader_->ReadVector({{absl::StrCat(prefix_, name, ".weight"), {config_.hidden_size}}});
}

std::vector<float> LayerReader::HeadNorm(absl::string_view name) const {
  return reader_->ReadVector(
      {{absl::StrCat(prefix_, "self_attn.", name, ".weight"), {config_.head_dim}}});
}

Projection LayerReader::Qkv(bool bias) const {
  const int64_t q = int64_t{config_.heads} * config_.head_dim;
  const int64_t kv = int64_t{config_.kv_heads} * config_.head_dim;
  return Read({{"self_attn.q_proj", q}, {"self_attn.k_proj", kv}, {"self_attn.v_proj", kv}},
              config_.hidden_size, bias);
}

Projection LayerReader::Out(bool bias) const {
  return Read({{"self_attn.o_proj", config_.hidden_size}},
              int64_t{config_.heads} * config_.head_dim, bias);
}

Projection LayerReader::GateUp(bool bias) const {
  const int64_t m = config_.mlp_size;
  if (reader_->Has(prefix_ + "mlp.gate_proj.weight")) {
    return Read({{"mlp.gate_proj", m}, {"mlp.up_proj", m}}, config_.hidden_size, bias);
  }
  return Read({{"mlp.gate_up_proj", 2 * m}}, config_.hidden_size, bias);
}

Projection LayerReader::Down(bool bias) const {
  return Read({{"mlp.down_proj", config_.hidden_size}}, config_.mlp_size, bias);
}

Projection LayerReader::Read(const std::vector<Block>& blocks, int64_t columns, bool bias) const {
  std::vector<WeightSpec> weights, biases;
  for (const Block& block : blocks) {
    const std::string at = absl::StrCat(prefix_, block.name);
    weights.push_back({at + ".weight", {block.rows, columns}});
    biases.push_back({at + ".bias", {block.rows}});
  }
  Projection projection;
  projection.weight = reader_->ReadMatrix(weights);
  if (bias) projection.bias = reader_->ReadVector(biases);
  return projection;
}

DecoderWeights ReadDecoder(const TextConfig& c, ReadLayerFn read_layer, WeightReader* reader) {
  DecoderWeights w;
  w.embedding =
      reader->ReadMatrix({{"language_model.embed_tokens.weight", {c.vocab_size, c.hidden_size}}});
  for (int i = 0; i < c.layers; ++i) w.layers.push_back(read_layer(c, LayerReader(c, i, reader)));
  w.final_norm = reader->ReadVector({{"language_model.norm.weight", {c.hidden_size}}});
  ReadHead(c, reader, &w);
  return w;
}

}  // namespace switchboard::model
