// A model gives the same logits, bit for bit, from a GGUF file as from its safetensors. The files
// are written here as the usual converter writes them: other names, rows of llama's q and k
// interleaved, q, k and v of chatglm in one tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"
#include "tests/unit/worker/model/tiny_checkpoint.h"
#include "worker/model/checkpoint.h"
#include "worker/model/config.h"
#include "worker/model/model_factory.h"

namespace switchboard::model {
namespace {

constexpr uint32_t kBf16 = 30;

std::string FolderOf(const std::string& name) {
  return absl::StrCat(SWITCHBOARD_TEST_DATA "/golden/text/models/", name);
}

int64_t IntOf(const JsonObject& config, absl::string_view key) {
  return FindMember(config, key)->as_int64();
}

double NumberOf(const JsonObject& config, absl::string_view key, double absent) {
  const Json* rope = FindPresent(config, "rope_parameters");
  const Json* value = rope != nullptr ? FindPresent(rope->as_object(), key) : nullptr;
  if (value == nullptr) value = FindPresent(config, key);
  return value == nullptr ? absent : value->to_number<double>();
}

int64_t HeadDim(const JsonObject& config) {
  const Json* value = FindPresent(config, "head_dim");
  if (value != nullptr) return value->as_int64();
  return IntOf(config, "hidden_size") / IntOf(config, "num_attention_heads");
}

std::string GgufName(const std::string& name) {
  return absl::StrReplaceAll(name, {{"model.layers.", "blk."},
                                    {"model.embed_tokens.", "token_embd."},
                                    {"model.norm.", "output_norm."},
                                    {"lm_head.", "output."},
                                    {".self_attn.q_proj.", ".attn_q."},
                                    {".self_attn.k_proj.", ".attn_k."},
                                    {".self_attn.v_proj.", ".attn_v."},
                                    {".self_attn.o_proj.", ".attn_output."},
                                    {".self_attn.q_norm.", ".attn_q_norm."},
                                    {".self_attn.k_norm.", ".attn_k_norm."},
                                    {".input_layernorm.", ".attn_norm."},
                                    {".post_attention_layernorm.", ".ffn_norm."},
                                    {".post_self_attn_layernorm.", ".post_attention_norm."},
                                    {".post_mlp_layernorm.", ".post_ffw_norm."},
                                    {".mlp.gate_up_proj.", ".ffn_up."},
                                    {".mlp.gate_proj.", ".ffn_gate."},
                                    {".mlp.up_proj.", ".ffn_up."},
                                    {".mlp.down_proj.", ".ffn_down."}});
}

// Rows j and half + j of each head side by side.
std::string Interleaved(const StoredTensor& tensor, int64_t head_dim) {
  const size_t row = tensor.bytes.size() / static_cast<size_t>(tensor.shape[0]);
  std::string bytes;
  for (int64_t head = 0; head < tensor.shape[0]; head += head_dim) {
    for (int64_t i = 0; i < head_dim; ++i) {
      const int64_t from = head + (i % 2 == 0 ? i / 2 : head_dim / 2 + i / 2);
      bytes += std::string(tensor.bytes.substr(static_cast<size_t>(from) * row, row));
    }
  }
  return bytes;
}

void AddKeys(const std::string& a, const JsonObject& config, GgufBuilder* file) {
  const auto size = [&](const char* key, int64_t value) {
    file->Uint(absl::StrCat(a, ".", key), static_cast<uint32_t>(value));
  };
  const int64_t head_dim = HeadDim(config);
  file->Text("general.architecture", a);
  size("block_count", IntOf(config, "num_hidden_layers"));
  size("context_length", IntOf(config, "max_position_embeddings"));
  size("embedding_length", IntOf(config, "hidden_size"));
  size("feed_forward_length", IntOf(config, "intermediate_size"));
  size("attention.head_count", IntOf(config, "num_attention_heads"));
  size("attention.head_count_kv", IntOf(config, "num_key_value_heads"));
  size("attention.key_length", head_dim);
  size("attention.value_length", head_dim);
  size("rope.dimension_count",
       static_cast<int64_t>(static_cast<double>(head_dim) *
                            NumberOf(config, "partial_rotary_factor", 1.0)));
  file->Float(a + ".rope.freq_base", static_cast<float>(NumberOf(config, "rope_theta", 10000.0)));
  file->Float(a + ".attention.layer_norm_rms_epsilon",
              static_cast<float>(NumberOf(config, "rms_norm_eps", 0)));
}

uint32_t TypeOf(const StoredTensor& tensor) {
  if (tensor.dtype == "BF16") return kBf16;
  return tensor.dtype == "F16" ? GgufBuilder::kF16 : GgufBuilder::kF32;
}

void AddTensors(const std::string& a, const JsonObject& config, const Checkpoint& checkpoint,
                GgufBuilder* file) {
  std::map<std::string, const StoredTensor*> by_name;
  for (const StoredTensor* tensor : checkpoint.tensors()) by_name[tensor->name] = tensor;
  for (const auto& [name, tensor] : by_name) {
    const bool q = absl::StrContains(name, ".q_proj."), k = absl::StrContains(name, ".k_proj.");
    std::string bytes(tensor->bytes);
    std::vector<int64_t> shape = tensor->shape;
    std::string gguf = GgufName(name);
    if (a == "llama" && (q || k)) bytes = Interleaved(*tensor, HeadDim(config));
    if (a == "chatglm" && (k || absl::StrContains(name, ".v_proj."))) continue;
    if (a == "chatglm" && q) {
      for (const char* other : {"k_proj", "v_proj"}) {
        const StoredTensor& part = *by_name.at(absl::StrReplaceAll(name, {{"q_proj", other}}));
        bytes += std::string(part.bytes);
        shape[0] += part.shape[0];
      }
      gguf = absl::StrReplaceAll(gguf, {{"attn_q", "attn_qkv"}});
    }
    file->Tensor(gguf, shape, TypeOf(*tensor), bytes);
  }
}

GgufBuilder Converted(const std::string& folder, const std::string& architecture) {
  GgufBuilder file;
  const JsonObject config = *ReadConfig(folder);
  const auto checkpoint = *Checkpoint::Open(folder);
  AddKeys(architecture, config, &file);
  AddTensors(architecture, config, *checkpoint, &file);
  return file;
}

std::string Written(const std::string& name, const GgufBuilder& file) {
  const std::string path = absl::StrCat(testing::TempDir(), "/load_", ::getpid(), name, ".gguf");
  WriteFile(path, file.Build());
  return path;
}

absl::StatusOr<LoadedModel> Load(const std::string& path, const std::string& dtype = "auto") {
  LoadOptions options;
  options.threads = 1;
  options.dtype = dtype;
  options.max_sequences = 1;
  options.max_model_len = 128;
  return LoadModel(path, options, nullptr);
}

// Logits of the last tokens of a fixed prompt.
std::vector<float> LogitsOf(Model* model) {
  std::vector<int32_t> ids;
  for (int i = 0; i < 100; ++i) ids.push_back((i * 37 + 11) % 500);
  const std::vector<int32_t> pages = {0, 1};
  const PositionPlan plan = *model->PlanPositions(100, {});
  const auto cache = *model->NewKvCache(2);
  std::vector<float> logits(static_cast<size_t>(3 * model->shape().vocab_size));
  model->Forward({{.token_ids = ids,
                   .positions = plan.prompt,
                   .first = 0,
                   .pages = pages,
                   .images = {},
                   .logit_rows = 3}},
                 cache.get(), logits.data());
  return logits;
}

using Case = std::pair<const char*, const char*>;  // folder, architecture
class GgufLoadTest : public testing::TestWithParam<Case> {};

// C151 f: "llama_tied" has no output layer of its own.
TEST_P(GgufLoadTest, C151_LogitsAreThoseOfTheSafetensors) {
  const auto [name, architecture] = GetParam();
  const std::string path = Written(name, Converted(FolderOf(name), architecture));
  const auto from_gguf = Load(path);
  const auto from_folder = Load(FolderOf(name));
  std::filesystem::remove(path);
  ASSERT_THAT(from_gguf, IsOk());
  ASSERT_THAT(from_folder, IsOk());
  EXPECT_EQ(LogitsOf(from_gguf->model.get()), LogitsOf(from_folder->model.get()));
  EXPECT_EQ(from_gguf->plan.weights, from_folder->plan.weights);
}

INSTANTIATE_TEST_SUITE_P(All, GgufLoadTest,
                         testing::Values(Case("llama_tied", "llama"), Case("qwen3", "qwen3"),
                                         Case("glm4", "glm4"), Case("glm", "chatglm")),
                         [](const auto& info) { return std::string(info.param.second); });

// The divisors as the usual converter computes them from the keys of config.json.
TEST(GgufRopeTest, Llama3ScalingComesAsDivisors) {
  const std::string folder = FolderOf("llama_rope3");
  const JsonObject config = *ReadConfig(folder);
  const JsonObject& rope = config.at("rope_scaling").as_object();
  const double factor = NumberOf(rope, "factor", 0), low = NumberOf(rope, "low_freq_factor", 0);
  const double high = NumberOf(rope, "high_freq_factor", 0);
  const double original = NumberOf(rope, "original_max_position_embeddings", 0);
  const int64_t head_dim = HeadDim(config);
  std::string divisors;
  for (int64_t i = 0; i < head_dim / 2; ++i) {
    const double frequency =
        std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(head_dim));
    const double turns = original * frequency / (2 * std::numbers::pi);
    const double smooth = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    divisors += Raw(static_cast<float>(1 / ((1 - smooth) / factor + smooth)));
  }
  GgufBuilder file = Converted(folder, "llama");
  file.Tensor("rope_freqs.weight", {head_dim / 2}, GgufBuilder::kF32, divisors);
  const std::string path = Written("rope", file);
  const auto from_gguf = Load(path);
  const auto from_folder = Load(folder);
  std::filesystem::remove(path);
  ASSERT_THAT(from_gguf, IsOk());
  ASSERT_THAT(from_folder, IsOk());
  const std::vector<float> got = LogitsOf(from_gguf->model.get());
  const std::vector<float> want = LogitsOf(from_folder->model.get());
  for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-4) << i;
}

// One layer of width 32, its MLP in Q8_0.
TEST(GgufMemoryTest, PlanCountsWhatIsKeptNotWhatIsStored) {
  GgufBuilder file;
  file.Text("general.architecture", "llama").Uint("llama.block_count", 1);
  file.Uint("llama.context_length", 128).Uint("llama.embedding_length", 32);
  file.Uint("llama.feed_forward_length", 32).Uint("llama.attention.head_count", 1);
  file.Float("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  const std::string vector(32 * 4, '\0'), block(32 * 34, '\0');
  for (const char* name :
       {"output_norm.weight", "blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"}) {
    file.Tensor(name, {32}, GgufBuilder::kF32, vector);
  }
  for (const char* name :
       {"token_embd.weight", "blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight",
        "blk.0.attn_output.weight", "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight",
        "blk.0.ffn_down.weight"}) {
    file.Tensor(name, {32, 32}, GgufBuilder::kQ8_0, block);
  }
  const std::string path = Written("plan", file);
  const auto floats = Load(path), bf16 = Load(path, "bfloat16"), f16 = Load(path, "float16");
  std::filesystem::remove(path);
  ASSERT_THAT(floats, IsOk());
  EXPECT_EQ(floats->plan.weights, 8 * 32 * 32 * 4 + 3 * 32 * 4);
  ASSERT_THAT(bf16, IsOk());
  EXPECT_EQ(bf16->plan.weights, 8 * 32 * 32 * 2 + 3 * 32 * 4);
  EXPECT_THAT(f16, StatusIs(absl::StatusCode::kInvalidArgument,
                            testing::HasSubstr("the checkpoint is stored as Q8_0")));
}

}  // namespace
}  // namespace switchboard::model
