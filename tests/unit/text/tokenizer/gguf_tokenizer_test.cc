// Vocabularies of GGUF files. Real ones are judged by the golden tokenizers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"
#include "tests/unit/text/tokenizer/small_tokenizer.h"
#include "text/tokenizer/gguf_json.h"
#include "text/tokenizer/gguf_vocabulary.h"

namespace switchboard::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Type = GgufVocabulary::TokenType;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;

// A vocabulary that owns its lists, for tests to change.
struct File {
  std::string model, pre;
  std::vector<std::string> tokens, merges;
  std::vector<int32_t> types;
  std::vector<float> scores;
  GgufVocabulary rest;

  int32_t Add(const std::string& text, int32_t type = Type::kNormal, float score = 0) {
    tokens.push_back(text);
    types.push_back(type);
    scores.push_back(score);
    return static_cast<int32_t>(tokens.size()) - 1;
  }
  template <typename F>
  auto Call(F function) const {
    const std::vector<absl::string_view> all_tokens(tokens.begin(), tokens.end()),
        all_merges(merges.begin(), merges.end());
    GgufVocabulary vocabulary = rest;
    vocabulary.model = model;
    vocabulary.pre = pre;
    vocabulary.tokens = all_tokens;
    vocabulary.types = types;
    if (model == "llama") vocabulary.scores = scores;
    vocabulary.merges = all_merges;
    return function(vocabulary);
  }
  absl::StatusOr<std::unique_ptr<const Tokenizer>> Load() const {
    return Call([](const GgufVocabulary& v) { return Tokenizer::FromGguf(v); });
  }
  Ids Encode(const MarkedText& text, bool add_special_tokens = false) const {
    const auto tokenizer = Load();
    CHECK(tokenizer.ok());
    return (*tokenizer)->Encode(text, add_special_tokens);
  }
};

// 0..255 the bytes, 256 "  ", 257 <|end|> (control), 258 <think> (user-defined).
File ByteLevel() {
  File file;
  file.model = "gpt2";
  file.pre = "smollm";
  for (int byte = 0; byte < 256; ++byte) file.Add(SpellByte(byte));
  file.Add(SpellByte(' ') + SpellByte(' '));
  file.Add("<|end|>", Type::kControl);
  file.Add("<think>", Type::kUserDefined);
  file.merges = {SpellByte(' ') + " " + SpellByte(' ')};
  return file;
}

// 0 <unk>, 1 <s>, 2 </s>, 3..258 bytes, then 259 U+2581, 260 a, 261 b, 262 ab, 263 U+2581 a.
File SentencePiece() {
  File file;
  file.model = "llama";
  file.Add("<unk>", Type::kUnknown);
  file.Add("<s>", Type::kControl);
  file.Add("</s>", Type::kControl);
  const char* digits = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    file.Add(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">", Type::kByte);
  }
  file.Add("\u2581", Type::kNormal, -10);
  file.Add("a", Type::kNormal, -11);
  file.Add("b", Type::kNormal, -12);
  file.Add("ab", Type::kNormal, -2);
  file.Add("\u2581a", Type::kNormal, -1);
  file.rest.bos_id = 1;
  file.rest.eos_id = 2;
  file.rest.unknown_id = 0;
  return file;
}

TEST(GgufByteLevel, CutsAsItsPreTokenizerSays) {
  // "smollm" takes each digit alone before GPT-2's pattern, so both spaces stay together.
  EXPECT_THAT(ByteLevel().Encode(MarkedText::Data("a  1")), ElementsAre('a', 256, '1'));
  File gpt2 = ByteLevel();
  gpt2.pre = "gpt-2";
  EXPECT_THAT(gpt2.Encode(MarkedText::Data("a  1")), ElementsAre('a', ' ', ' ', '1'));
}

TEST(GgufByteLevel, KnowsThePreTokenizersOfPublishedModels) {
  for (const char* pre : {"smollm", "llama-bpe", "qwen2", "glm4", "chatglm-bpe", "gpt-2",
                          "deepseek-coder", "deepseek-v3", "deepseek-r1-qwen"}) {
    File file = ByteLevel();
    file.pre = pre;
    EXPECT_THAT(file.Load(), IsOk()) << pre;
  }
}

TEST(GgufByteLevel, RefusesToGuessAPreTokenizer) {
  for (const char* pre : {"", "default", "something-new"}) {
    File file = ByteLevel();
    file.pre = pre;
    EXPECT_THAT(file.Load(),
                StatusIs(kUnimplemented,
                         HasSubstr("known: gpt-2, phi-2, smollm, starcoder, refact, command-r, "
                                   "llama-bpe, llama3, llama-v3, glm4, chatglm-bpe, qwen2, "
                                   "deepseek-r1-qwen, deepseek-coder, deepseek-v3")))
        << pre;
  }
}

TEST(GgufByteLevel, MakesAddedTokensOfControlAndUserDefinedTokens) {
  const MarkedText text = MarkedText::Literal("<think><|end|>");
  EXPECT_THAT(ByteLevel().Encode(text), ElementsAre(258, 257));
  const auto tokenizer = ByteLevel().Load();
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_TRUE((*tokenizer)->IsSpecial(257));
  EXPECT_FALSE((*tokenizer)->IsSpecial(258));
}

TEST(GgufByteLevel, NeverMakesAControlTokenOfData) {
  File file = ByteLevel();
  EXPECT_EQ(file.Encode(MarkedText::Data("<|end|>")), BytesAsIds("<|end|>"));
  EXPECT_THAT(file.Encode(MarkedText::Data("<think>")), ElementsAre(258));
  // Not even where merges make it, or where whole pieces are looked up.
  const int32_t control = file.Add("xy", Type::kControl);
  file.merges.push_back("x y");
  file.pre = "llama-bpe";
  EXPECT_THAT(file.Encode(MarkedText::Data("xy")), ElementsAre('x', 'y'));
  EXPECT_THAT(file.Encode(MarkedText::Literal("xy")), ElementsAre(control));
}

TEST(GgufByteLevel, PutsBeginAndEndAsTheFileSays) {
  File file = ByteLevel();
  file.rest.bos_id = 257;
  file.rest.eos_id = 258;
  EXPECT_THAT(file.Encode(MarkedText::Data("a"), true), ElementsAre('a'));
  file.rest.add_bos = true;
  file.rest.add_eos = true;
  EXPECT_THAT(file.Encode(MarkedText::Data("a"), true), ElementsAre(257, 'a', 258));
  EXPECT_THAT(file.Encode(MarkedText::Data("a"), false), ElementsAre('a'));
  file.rest.eos_id = 9999;
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("tokenizer.ggml.eos_token_id: 9999")));
}

TEST(GgufByteLevel, BeginsTextsOfLlama3UnlessTheFileSaysNo) {
  File file = ByteLevel();
  file.pre = "llama-bpe";
  file.rest.bos_id = 257;
  EXPECT_THAT(file.Encode(MarkedText::Data("a"), true), ElementsAre(257, 'a'));
  file.rest.add_bos = false;
  EXPECT_THAT(file.Encode(MarkedText::Data("a"), true), ElementsAre('a'));
}

TEST(GgufByteLevel, DecodesItsAlphabet) {
  const auto tokenizer = ByteLevel().Load();
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Decode({'a', 256, 0xC3, 0xA9, 257}, false), "a  \u00e9<|end|>");
  EXPECT_EQ((*tokenizer)->Decode({'a', 257}, true), "a");
}

TEST(GgufByteLevel, RefusesMergesOutsideTheVocabulary) {
  for (const char* merge : {"a", "a b", "a b c", ""}) {
    File file = ByteLevel();
    file.merges = {merge};
    EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("tokenizer.ggml.merges[0]"))) << merge;
  }
}

TEST(GgufSentencePiece, MergesThePairOfTheHighestScore) {
  EXPECT_THAT(SentencePiece().Encode(MarkedText::Data("ab")), ElementsAre(263, 261));
  File file = SentencePiece();
  file.scores[262] = 0;
  EXPECT_THAT(file.Encode(MarkedText::Data("ab")), ElementsAre(259, 262));
}

TEST(GgufSentencePiece, MergesTheLeftmostOfEqualScores) {
  File file = SentencePiece();
  const int32_t ba = file.Add("ba", Type::kNormal, -2);
  file.rest.add_space_prefix = false;
  EXPECT_THAT(file.Encode(MarkedText::Data("aba")), ElementsAre(262, 260));
  EXPECT_THAT(file.Encode(MarkedText::Data("bab")), ElementsAre(ba, 261));
}

TEST(GgufSentencePiece, MergesCharactersThatAreNoTokensThemselves) {
  File file = SentencePiece();
  const int32_t xy = file.Add("xy", Type::kNormal, -3);
  EXPECT_THAT(file.Encode(MarkedText::Data("xy x")), ElementsAre(259, xy, 259, 3 + 'x'));
}

TEST(GgufSentencePiece, PutsASpaceBeforeEveryTextBetweenTokens) {
  EXPECT_THAT(SentencePiece().Encode(MarkedText::Literal("a<s>a</s>")),
              ElementsAre(263, 1, 263, 2));
  File file = SentencePiece();
  file.rest.add_space_prefix = false;
  EXPECT_THAT(file.Encode(MarkedText::Literal("a<s> a")), ElementsAre(260, 1, 263));
}

TEST(GgufSentencePiece, SpellsOtherCharactersInBytesOrAsUnknown) {
  EXPECT_THAT(SentencePiece().Encode(MarkedText::Data("\u00e9")),
              ElementsAre(259, 3 + 0xC3, 3 + 0xA9));
  File file = SentencePiece();
  file.types[3 + 0xA9] = Type::kUnused;
  EXPECT_THAT(file.Encode(MarkedText::Data("\u00e9")), ElementsAre(259, 0));
}

TEST(GgufSentencePiece, NeverMakesAControlOrByteTokenOfData) {
  File file = SentencePiece();
  EXPECT_EQ(file.Encode(MarkedText::Data("<s>")), (Ids{259, 3 + '<', 3 + 's', 3 + '>'}));
  EXPECT_THAT(file.Encode(MarkedText::Data("<0x41>")),
              ElementsAre(259, 3 + '<', 3 + '0', 3 + 'x', 3 + '4', 3 + '1', 3 + '>'));
}

TEST(GgufSentencePiece, BeginsTextsUnlessTheFileSaysNo) {
  EXPECT_THAT(SentencePiece().Encode(MarkedText::Data("a"), true), ElementsAre(1, 263));
  File file = SentencePiece();
  file.rest.add_bos = false;
  file.rest.add_eos = true;
  EXPECT_THAT(file.Encode(MarkedText::Data("a"), true), ElementsAre(263, 2));
}

TEST(GgufSentencePiece, DropsTheSpaceThatItPutBeforeTheText) {
  const auto tokenizer = SentencePiece().Load();
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Decode({1, 263, 263}, true), "a a");
  File file = SentencePiece();
  file.rest.add_space_prefix = false;
  const auto without = file.Load();
  ASSERT_THAT(without, IsOk());
  EXPECT_EQ((*without)->Decode({263}, true), " a");
}

TEST(GgufSentencePiece, RefusesBadScoresAndBytes) {
  File file = SentencePiece();
  file.scores[260] = std::nanf("");
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("tokenizer.ggml.scores[260]")));
  file = SentencePiece();
  file.scores.pop_back();
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("tokenizer.ggml.scores: 263 for 264")));
  file = SentencePiece();
  file.tokens[5] = "<0xZZ>";
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("tokenizer.ggml.tokens[5]: a byte")));
}

TEST(GgufVocabularies, RefuseOtherModels) {
  File file = ByteLevel();
  file.model = "t5";
  EXPECT_THAT(file.Load(), StatusIs(kUnimplemented, HasSubstr("tokenizer.ggml.model: \"t5\"")));
}

TEST(GgufVocabularies, RefuseListsThatContradictEachOther) {
  File file = ByteLevel();
  file.types.pop_back();
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("token_type: 258 for 259 tokens")));
  file = ByteLevel();
  file.types[3] = 77;
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("token_type[3]: 77 is not in 1..6")));
  file = ByteLevel();
  file.tokens[3] = "\xFF";
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("tokenizer.ggml.tokens[3]: want UTF-8")));
  file = File();
  file.model = "gpt2";
  EXPECT_THAT(file.Load(), StatusIs(kInvalid, HasSubstr("tokenizer.ggml.tokens: missing")));
}

TEST(GgufJson, CarriesAVocabularyWhole) {
  for (const File& file : {ByteLevel(), SentencePiece()}) {
    const auto json = file.Call([](const GgufVocabulary& v) { return GgufVocabularyJson(v); });
    ASSERT_THAT(json, IsOk());
    const auto tokenizer = Tokenizer::FromJson(*json);
    ASSERT_THAT(tokenizer, IsOk());
    MarkedText text = MarkedText::Data("ab  1<s>\u00e9");
    text.Append("</s><|end|>", true);
    EXPECT_EQ((*tokenizer)->Encode(text, true), file.Encode(text, true));
  }
}

TEST(GgufJson, RefusesValuesOfTheWrongType) {
  const auto load = [](absl::string_view json) { return Tokenizer::FromJson(json); };
  EXPECT_THAT(load(R"({"tokenizer.ggml.model": 1})"),
              StatusIs(kInvalid, HasSubstr("tokenizer.ggml.model: want a string")));
  EXPECT_THAT(load(R"({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": [1]})"),
              StatusIs(kInvalid, HasSubstr("tokenizer.ggml.tokens: want texts")));
  EXPECT_THAT(load(R"({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["a"],
                       "tokenizer.ggml.token_type": [1.5]})"),
              StatusIs(kInvalid, HasSubstr("tokenizer.ggml.token_type")));
  EXPECT_THAT(load(R"({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["a"],
                       "tokenizer.ggml.scores": ["x"]})"),
              StatusIs(kInvalid, HasSubstr("tokenizer.ggml.scores")));
  EXPECT_THAT(load(R"({"tokenizer.ggml.model": "llama", "tokenizer.ggml.add_bos_token": 1})"),
              StatusIs(kInvalid, HasSubstr("tokenizer.ggml.add_bos_token")));
}

}  // namespace
}  // namespace switchboard::text
