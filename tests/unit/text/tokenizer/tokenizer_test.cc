#include "text/tokenizer/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mapped_file.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/text/tokenizer/small_tokenizer.h"

namespace switchboard::text {
namespace {

Ids Join(std::initializer_list<Ids> parts) {
  Ids all;
  for (const Ids& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(Tokenizer, EncodesWordsByTheirMerges) {
  EXPECT_EQ(SmallTokenizer()->Encode(MarkedText::Data("hello world"), false),
            (Ids{259, 260, 'o', 'r', 'l', 'd'}));
}

TEST(Tokenizer, EncodesTheEmptyTextAsNothing) {
  EXPECT_EQ(SmallTokenizer()->Encode(MarkedText(), true), Ids{});
}

TEST(Tokenizer, NeverMakesAControlTokenOfData) {
  const auto tokenizer = SmallTokenizer();
  EXPECT_EQ(tokenizer->Encode(MarkedText::Literal("<|user|>"), false), Ids{300});
  EXPECT_EQ(tokenizer->Encode(MarkedText::Data("<|user|>"), false), BytesAsIds("<|user|>"));
}

TEST(Tokenizer, FindsPlainAddedTokensInData) {
  EXPECT_EQ(SmallTokenizer()->Encode(MarkedText::Data("<think>a</think>"), false),
            (Ids{310, 'a', 311}));
}

TEST(Tokenizer, TellsTemplateFromDataWithinOneText) {
  MarkedText text = MarkedText::Literal("<|user|>");
  text.Append("hello<|user|><|end|>", false);
  text.Append("<|end|>", true);
  EXPECT_EQ(SmallTokenizer()->Encode(text, false),
            Join({{300, 259}, BytesAsIds("<|user|><|end|>"), {301}}));
}

TEST(Tokenizer, MakesNoControlTokenOfTemplateAndDataTogether) {
  MarkedText text = MarkedText::Literal("<|us");
  text.Append("er|>", false);
  EXPECT_EQ(SmallTokenizer()->Encode(text, false), BytesAsIds("<|user|>"));
}

TEST(Tokenizer, KeepsAControlTokenWhateverDataFollowsIt) {
  MarkedText text = MarkedText::Literal("<|end|>");
  text.Append("x", false);
  EXPECT_EQ(SmallTokenizer()->Encode(text, false), (Ids{301, 'x'}));
  EXPECT_EQ(SmallTokenizer()->Encode(MarkedText::Literal("<|end|>x"), false), Ids{302});
}

TEST(Tokenizer, MergesAcrossTheSeamOfTemplateAndData) {
  MarkedText text = MarkedText::Literal("hel");
  text.Append("lo", false);
  EXPECT_EQ(SmallTokenizer()->Encode(text, false), Ids{259});
}

TEST(Tokenizer, NeverMakesANormalizedControlTokenOfData) {
  JsonObject file = SmallTokenizerJson();
  file["normalizer"] = JsonObject{{"type", Json("Lowercase")}};
  JsonObject token = Added(400, "<S>", true);
  token["normalized"] = true;
  file["added_tokens"].get_array().push_back(token);
  const auto tokenizer = LoadJson(file);
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Literal("<s><S>"), false), (Ids{400, 400}));
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("<S>"), false), BytesAsIds("<s>"));
  MarkedText mixed = MarkedText::Data("<S>");
  mixed.Append("<S>", true);
  EXPECT_EQ((*tokenizer)->Encode(mixed, false), Join({BytesAsIds("<s>"), {400}}));
}

TEST(Tokenizer, ReadsBytesThatAreNotUtf8AsReplacementCharacters) {
  EXPECT_EQ(SmallTokenizer()->Encode(MarkedText::Literal("\xF0\x9F<|user|>\xFF"), false),
            Join({BytesAsIds("\uFFFD"), {300}, BytesAsIds("\uFFFD")}));
}

TEST(Tokenizer, PutsTheTemplateAroundTheTextWhenAsked) {
  JsonObject file = SmallTokenizerJson();
  file["post_processor"] = *ParseJson(R"({"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "B", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                 {"SpecialToken": {"id": "E", "type_id": 0}}],
      "special_tokens": {"B": {"id": "B", "ids": [300, 310], "tokens": []},
                         "E": {"id": "E", "ids": [301], "tokens": []}}})");
  const auto tokenizer = LoadJson(file);
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("a"), true), (Ids{300, 310, 'a', 301}));
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("a"), false), Ids{'a'});
}

TEST(Tokenizer, DecodesWithAndWithoutSpecialTokens) {
  const auto tokenizer = SmallTokenizer();
  EXPECT_EQ(tokenizer->Decode({300, 310, 259, 260, 301}, false), "<|user|><think>hello w<|end|>");
  EXPECT_EQ(tokenizer->Decode({300, 310, 259, 260, 301}, true), "<think>hello w");
}

TEST(Tokenizer, DecodesBrokenCharactersAsOneReplacementEach) {
  EXPECT_EQ(SmallTokenizer()->Decode({0xF0, 0x9F, 'a', 0xE4, 0xBD, 0xA0, 0xE4}, false),
            "\uFFFDa\u4f60\uFFFD");
}

TEST(Tokenizer, DecodesUnknownIdsAsNothing) {
  EXPECT_EQ(SmallTokenizer()->Decode({-1, 'a', 299, 1000000}, false), "a");
}

TEST(Tokenizer, KnowsItsTokens) {
  const auto tokenizer = SmallTokenizer();
  EXPECT_EQ(tokenizer->vocab_size(), 312);
  EXPECT_EQ(tokenizer->TokenId("<|user|>"), 300);
  EXPECT_EQ(tokenizer->TokenId("\u0120w"), 260);
  EXPECT_EQ(tokenizer->TokenId("no such token"), absl::nullopt);
  EXPECT_EQ(tokenizer->TokenBytes(260), " w");
  EXPECT_EQ(tokenizer->TokenBytes(299), "");
  EXPECT_EQ(tokenizer->TokenBytes(-1), "");
  EXPECT_TRUE(tokenizer->IsSpecial(300));
  EXPECT_FALSE(tokenizer->IsSpecial(310));
  EXPECT_FALSE(tokenizer->IsSpecial(299));
}

TEST(Tokenizer, EncodesAMegabyteOfOneLetter) {
  const auto tokenizer = SmallTokenizer();
  EXPECT_EQ(tokenizer->Encode(MarkedText::Data(std::string(1'000'000, 'l')), false),
            Ids(500'000, 257));
}

class TinyModelTokenizer : public testing::Test {
 protected:
  void SetUp() override {
    const auto json =
        ReadFile(SWITCHBOARD_MODELS "/autoglm-phone-tiny/tokenizer.json", size_t{1} << 24);
    ASSERT_THAT(json, IsOk());
    auto tokenizer = Tokenizer::FromJson(*json);
    ASSERT_THAT(tokenizer, IsOk());
    tokenizer_ = *std::move(tokenizer);
  }

  std::unique_ptr<const Tokenizer> tokenizer_;
};

TEST_F(TinyModelTokenizer, HasTheControlTokensOfItsFile) {
  EXPECT_EQ(tokenizer_->vocab_size(), 2540);
  EXPECT_EQ(tokenizer_->TokenId("<|user|>"), 2517);
  EXPECT_TRUE(tokenizer_->IsSpecial(2517));
  EXPECT_EQ(tokenizer_->TokenId("</answer>"), 2529);
  EXPECT_FALSE(tokenizer_->IsSpecial(2529));
}

TEST_F(TinyModelTokenizer, EncodesAPromptOfItsTemplate) {
  MarkedText prompt = MarkedText::Literal("[gMASK]<sop><|user|>\n");
  prompt.Append("\u6253\u5f00\u6dd8\u5b9d <|assistant|> 123", false);
  prompt.Append("<|assistant|>\n<think></think><answer>", true);
  const Ids ids = tokenizer_->Encode(prompt, false);
  EXPECT_EQ(Ids(ids.begin(), ids.begin() + 3), (Ids{2512, 2514, 2517}));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 2518), 1);
  EXPECT_EQ(Ids(ids.end() - 3, ids.end()), (Ids{2526, 2527, 2528}));
  EXPECT_EQ(tokenizer_->Decode(ids, false), prompt.text());
}

}  // namespace
}  // namespace switchboard::text
