#include "text/tokenizer/tokenizer_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/text/tokenizer/small_tokenizer.h"

namespace switchboard::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;

class TokenizerFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              absl::StrCat("tokenizer_folder_",
                           testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  // Every byte with its value as rank, then "ab" 256, "abc" 257, " c" 258.
  static std::string Ranks() {
    std::string out;
    int rank = 0;
    for (; rank < 256; ++rank) {
      absl::StrAppend(&out, absl::Base64Escape(std::string(1, static_cast<char>(rank))), " ", rank,
                      "\n");
    }
    for (const char* token : {"ab", "abc", " c"}) {
      absl::StrAppend(&out, absl::Base64Escape(token), " ", rank++, "\n");
    }
    return out;
  }
  std::unique_ptr<const Tokenizer> Load() {
    const auto json = ReadTokenizerFolder(folder_.string());
    CHECK(json.ok());
    auto tokenizer = Tokenizer::FromJson(*json);
    CHECK(tokenizer.ok());
    return *std::move(tokenizer);
  }

  std::filesystem::path folder_;
};

constexpr char kGlmConfig[] = R"({"tokenizer_class": "ChatGLM4Tokenizer", "added_tokens_decoder": {
    "300": {"content": "[gMASK]", "special": true, "normalized": false},
    "301": {"content": "<sop>", "special": true, "normalized": false},
    "302": {"content": "<|user|>", "special": true, "normalized": false}}})";

TEST_F(TokenizerFolder, PrefersTheTokenizerJson) {
  Write("tokenizer.json", "{}");
  Write("qwen.tiktoken", Ranks());
  const auto json = ReadTokenizerFolder(folder_.string());
  ASSERT_THAT(json, IsOk());
  EXPECT_EQ(*json, "{}");
}

TEST_F(TokenizerFolder, ReadsQwensTiktokenFile) {
  Write("qwen.tiktoken", Ranks());
  const auto tokenizer = Load();
  EXPECT_THAT(tokenizer->Encode(MarkedText::Literal("abc c12<|im_end|>"), true),
              ElementsAre(257, 258, '1', '2', 151645));
  EXPECT_EQ(tokenizer->TokenId("<|extra_204|>"), 151850);
  EXPECT_TRUE(tokenizer->IsSpecial(151643));
  // NFC: e and U+0301 are read as U+00E9.
  EXPECT_THAT(tokenizer->Encode(MarkedText::Data("e\u0301"), false), ElementsAre(0xC3, 0xA9));
}

TEST_F(TokenizerFolder, ReadsTheTokenizerModelOfChatGlm4) {
  Write("tokenizer.model", Ranks());
  Write("tokenizer_config.json", kGlmConfig);
  const auto tokenizer = Load();
  EXPECT_THAT(tokenizer->Encode(MarkedText::Literal("<|user|>abc"), false), ElementsAre(302, 257));
  EXPECT_THAT(tokenizer->Encode(MarkedText::Literal("abc"), true), ElementsAre(300, 301, 257));
  EXPECT_EQ(tokenizer->Encode(MarkedText::Data("<|user|>"), false), BytesAsIds("<|user|>"));
}

TEST_F(TokenizerFolder, MergesTheConcatenationOfLowestRank) {
  Write("qwen.tiktoken",
        absl::StrCat(Ranks(), absl::Base64Escape("bcd"), " 259\n", absl::Base64Escape("bc"),
                     " 260\n", absl::Base64Escape("cd"), " 261\n"));
  // "bcd" is a token, but in "abcd" ab comes first.
  EXPECT_THAT(Load()->Encode(MarkedText::Data("abcd"), false), ElementsAre(257, 'd'));
  EXPECT_THAT(Load()->Encode(MarkedText::Data("bcd"), false), ElementsAre(259));
}

TEST_F(TokenizerFolder, RefusesATokenizerModelOfAnotherClass) {
  Write("tokenizer.model", "\n\x0e");
  Write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  EXPECT_THAT(ReadTokenizerFolder(folder_.string()),
              StatusIs(kUnimplemented, HasSubstr("a LlamaTokenizer is not supported")));
}

TEST_F(TokenizerFolder, NamesTheFileThatIsWrong) {
  EXPECT_THAT(ReadTokenizerFolder(folder_.string()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no tokenizer.json")));
  Write("tokenizer.model", "YQ== x\n");
  Write("tokenizer_config.json", kGlmConfig);
  EXPECT_THAT(ReadTokenizerFolder(folder_.string()),
              StatusIs(kInvalid, HasSubstr("tokenizer.model: line 1")));
  Write("tokenizer_config.json",
        R"({"tokenizer_class": "ChatGLM4Tokenizer", "added_tokens_decoder": {"x": {}}})");
  EXPECT_THAT(ReadTokenizerFolder(folder_.string()),
              StatusIs(kInvalid, HasSubstr("tokenizer_config.json: added_tokens_decoder.x")));
  Write("tokenizer.model", Ranks());
  Write("tokenizer_config.json",
        R"({"tokenizer_class": "ChatGLM4Tokenizer", "added_tokens_decoder": {}})");
  EXPECT_THAT(ReadTokenizerFolder(folder_.string()), StatusIs(kInvalid, HasSubstr("[gMASK]")));
}

}  // namespace
}  // namespace switchboard::text
