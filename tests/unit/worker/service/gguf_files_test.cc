#include "worker/service/gguf_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"
#include "worker/model/gguf.h"

namespace switchboard::worker {
namespace {

using model::GgufBuilder;
using model::GgufType;
using model::Raw;
using model::RawArray;
using model::RawText;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

GgufBuilder WithTokens() {
  GgufBuilder file;
  file.Text("general.architecture", "llama").Text("tokenizer.ggml.model", "gpt2");
  file.Pair("tokenizer.ggml.tokens", GgufType::kArray,
            RawArray(GgufType::kString, 3, RawText("a") + RawText("<s>") + RawText("</s>")));
  return file;
}

GgufBuilder Complete() {
  GgufBuilder file = WithTokens();
  file.Pair("tokenizer.ggml.token_type", GgufType::kArray,
            RawArray(GgufType::kInt32, 3, Raw(1) + Raw(3) + Raw(3)));
  file.Pair("tokenizer.ggml.merges", GgufType::kArray, RawArray(GgufType::kString, 0, ""));
  return file;
}

absl::StatusOr<ModelFiles> Read(const GgufBuilder& file) {
  const std::string bytes = file.Build();
  const auto content = model::ParseGguf(bytes);
  if (!content.ok()) return content.status();
  return GgufModelFiles(content->metadata);
}

TEST(GgufFilesTest, TokenizerIsTheObjectOfItsKeys) {
  GgufBuilder file = Complete();
  file.Text("tokenizer.ggml.pre", "smollm").Uint("tokenizer.ggml.bos_token_id", 1);
  file.Pair("tokenizer.ggml.scores", GgufType::kArray, RawArray(GgufType::kFloat32, 1, Raw(0.1f)));
  file.Pair("tokenizer.ggml.add_bos_token", GgufType::kBool, "\1");
  const auto files = Read(file);
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(*ParseJson(files->tokenizer_json), *ParseJson(R"({
    "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": ["a", "<s>", "</s>"],
    "tokenizer.ggml.token_type": [1, 3, 3], "tokenizer.ggml.merges": [],
    "tokenizer.ggml.scores": [0.10000000149011612], "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.add_bos_token": true})"));
  EXPECT_EQ(files->usable_vocab, 3);
  EXPECT_FALSE(files->images.has_value());
}

TEST(GgufFilesTest, TemplateAndSpecialTokensComeFromTheMetadata) {
  GgufBuilder file = Complete();
  file.Text("tokenizer.chat_template", "{{ bos_token }}");
  file.Uint("tokenizer.ggml.bos_token_id", 1).Uint("tokenizer.ggml.eos_token_id", 2);
  file.Uint("tokenizer.ggml.eot_token_id", 0);
  const auto files = Read(file);
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->chat_template, "{{ bos_token }}");
  EXPECT_EQ(files->bos_token, "<s>");
  EXPECT_EQ(files->eos_token, "</s>");
  EXPECT_THAT(files->eos_token_ids, ElementsAre(0, 2));
}

TEST(GgufFilesTest, TemplateAndSpecialTokensMayBeAbsent) {
  const auto files = Read(Complete());
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->chat_template, "");
  EXPECT_EQ(files->bos_token, "");
  EXPECT_TRUE(files->eos_token_ids.empty());
}

TEST(GgufFilesTest, AVocabularyThatIsNotWholeIsRefused) {
  GgufBuilder file = WithTokens();
  EXPECT_THAT(Read(file), StatusIs(kInvalid, HasSubstr("'tokenizer.ggml.token_type' is missing")));
  file.Pair("tokenizer.ggml.token_type", GgufType::kArray,
            RawArray(GgufType::kInt32, 3, Raw(1) + Raw(3) + Raw(3)));
  EXPECT_THAT(Read(file), StatusIs(kInvalid, HasSubstr("'tokenizer.ggml.merges' is missing")));
}

TEST(GgufFilesTest, C148_OddValuesAreNamed) {
  EXPECT_THAT(Read(GgufBuilder()),
              StatusIs(kInvalid, HasSubstr("'tokenizer.ggml.tokens' is missing or empty")));
  GgufBuilder id = Complete();
  id.Uint("tokenizer.ggml.eos_token_id", 3);
  EXPECT_THAT(Read(id), StatusIs(kInvalid, HasSubstr("eos_token_id' is 3, no id of a vocabulary")));
  GgufBuilder text = Complete();
  text.Text("tokenizer.chat_template", "\xff");
  EXPECT_THAT(Read(text), StatusIs(kInvalid, HasSubstr("chat_template' is not UTF-8")));
  GgufBuilder scores = Complete();
  scores.Pair("tokenizer.ggml.scores", GgufType::kArray,
              RawArray(GgufType::kFloat32, 1, Raw(0x7fc00000u)));
  EXPECT_THAT(Read(scores), StatusIs(kInvalid, HasSubstr("'tokenizer.ggml.scores' holds a float")));
}

}  // namespace
}  // namespace switchboard::worker
