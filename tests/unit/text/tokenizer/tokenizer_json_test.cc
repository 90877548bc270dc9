// Files that are broken, hostile, or for other kinds of tokenizer: a clear refusal, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/text/tokenizer/small_tokenizer.h"

namespace switchboard::text {
namespace {

using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;

// The small tokenizer's file with a member replaced by parsed JSON text.
JsonObject With(absl::string_view member, absl::string_view json) {
  JsonObject file = SmallTokenizerJson();
  file[ToBoost(member)] = *ParseJson(json);
  return file;
}

// The same for a member of its model.
JsonObject WithModel(absl::string_view member, absl::string_view json) {
  JsonObject file = SmallTokenizerJson();
  file["model"].get_object()[ToBoost(member)] = *ParseJson(json);
  return file;
}

// The same with one more added token.
JsonObject WithAdded(absl::string_view json) {
  JsonObject file = SmallTokenizerJson();
  file["added_tokens"].get_array().push_back(*ParseJson(json));
  return file;
}

TEST(TokenizerJson, MustBeAnObjectWithAModel) {
  EXPECT_THAT(Tokenizer::FromJson(""), StatusIs(kInvalid, HasSubstr("not valid JSON")));
  EXPECT_THAT(Tokenizer::FromJson("[]"), StatusIs(kInvalid, HasSubstr("want an object")));
  EXPECT_THAT(Tokenizer::FromJson("{}"), StatusIs(kInvalid, HasSubstr("model: missing")));
  EXPECT_THAT(LoadJson(With("model", "7")), StatusIs(kInvalid, HasSubstr("model: want an object")));
}

TEST(TokenizerJson, RefusesOtherModels) {
  EXPECT_THAT(LoadJson(WithModel("type", "\"Unigram\"")),
              StatusIs(kUnimplemented, HasSubstr("model.type: \"Unigram\"")));
  EXPECT_THAT(LoadJson(WithModel("byte_fallback", "true")),
              StatusIs(kUnimplemented, HasSubstr("model.byte_fallback")));  // and a ByteLevel
  EXPECT_THAT(LoadJson(WithModel("end_of_word_suffix", "\"</w>\"")),
              StatusIs(kUnimplemented, HasSubstr("model.end_of_word_suffix")));
  EXPECT_THAT(LoadJson(WithModel("dropout", "0.1")),
              StatusIs(kUnimplemented, HasSubstr("model.dropout")));
}

TEST(TokenizerJson, AcceptsModelOptionsThatChangeNothing) {
  EXPECT_THAT(LoadJson(WithModel("continuing_subword_prefix", "\"\"")), IsOk());
  EXPECT_THAT(LoadJson(WithModel("dropout", "0.0")), IsOk());
  EXPECT_THAT(LoadJson(WithModel("unk_token", "\"nowhere\"")), IsOk());  // all bytes have tokens
}

TEST(TokenizerJson, RefusesIdsOutOfRangeOrTaken) {
  EXPECT_THAT(LoadJson(WithModel("vocab", R"({"a": -1})")),
              StatusIs(kInvalid, HasSubstr("\"a\" has id -1; ids lie in 0..1048575")));
  EXPECT_THAT(LoadJson(WithModel("vocab", R"({"a": 9000000000})")),
              StatusIs(kInvalid, HasSubstr("has id 9000000000")));
  EXPECT_THAT(LoadJson(WithModel("vocab", R"({"a": 1.5})")),
              StatusIs(kInvalid, HasSubstr("no whole number")));
  EXPECT_THAT(LoadJson(WithModel("vocab", R"({"a": 1, "b": 1})")),
              StatusIs(kInvalid, HasSubstr("id 1 belongs to both \"a\" and \"b\"")));
  EXPECT_THAT(LoadJson(WithModel("vocab", "[]")),
              StatusIs(kInvalid, HasSubstr("model.vocab: want an object")));
}

TEST(TokenizerJson, RefusesMergesThatAreNoPairOfTokens) {
  for (const char* merges : {"[\"ab\"]", "[\"a b c\"]", "[[\"a\"]]", "[7]", "[[\"a\", 1]]"}) {
    EXPECT_THAT(LoadJson(WithModel("merges", merges)),
                StatusIs(kInvalid, HasSubstr("model.merges[0]: want two tokens")))
        << merges;
  }
  EXPECT_THAT(LoadJson(WithModel("merges", "null")),
              StatusIs(kInvalid, HasSubstr("model.merges: want a list")));
}

TEST(TokenizerJson, RefusesMergesOutsideTheVocabulary) {
  EXPECT_THAT(LoadJson(WithModel("merges", R"([["h", "e"], ["x", "y"]])")),
              StatusIs(kInvalid, HasSubstr("model.merges[1]: \"xy\" is not in the vocabulary")));
}

TEST(TokenizerJson, ReadsMergesWrittenAsLines) {
  const auto tokenizer = LoadJson(WithModel("merges", R"(["h e"])"));
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("hell"), false), (Ids{256, 'l', 'l'}));
}

TEST(TokenizerJson, NeedsTheUnknownTokenWhenABytesTokenIsMissing) {
  JsonObject file = SmallTokenizerJson();
  JsonObject& model = file["model"].get_object();
  model["vocab"].get_object().erase("z");
  model["unk_token"] = "?";
  const auto tokenizer = LoadJson(file);
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("az"), false), (Ids{'a', '?'}));
  model["unk_token"] = "nowhere";
  EXPECT_THAT(LoadJson(file), StatusIs(kInvalid, HasSubstr("model.unk_token: \"nowhere\"")));
}

TEST(TokenizerJson, RefusesBadAddedTokens) {
  EXPECT_THAT(LoadJson(With("added_tokens", "{}")),
              StatusIs(kInvalid, HasSubstr("added_tokens: want a list")));
  EXPECT_THAT(LoadJson(WithAdded("7")), StatusIs(kInvalid, HasSubstr("added_tokens[5]: want")));
  EXPECT_THAT(LoadJson(WithAdded(R"({"id": 400})")),
              StatusIs(kInvalid, HasSubstr("added_tokens[5].content")));
  EXPECT_THAT(LoadJson(WithAdded(R"({"id": "400", "content": "x"})")),
              StatusIs(kInvalid, HasSubstr("added_tokens[5].id: want a whole number")));
  EXPECT_THAT(LoadJson(WithAdded(R"({"id": 1048576, "content": "xx"})")),
              StatusIs(kInvalid, HasSubstr("added_tokens[5].id: 1048576 is not in 0..1048575")));
  EXPECT_THAT(LoadJson(WithAdded(R"({"id": 400, "content": "xx", "special": "yes"})")),
              StatusIs(kInvalid, HasSubstr("added_tokens[5].special: want true or false")));
  EXPECT_THAT(LoadJson(WithAdded(R"({"id": 300, "content": "xx"})")),
              StatusIs(kInvalid, HasSubstr("added_tokens[5]: id 300 belongs to both")));
  EXPECT_THAT(LoadJson(WithAdded(R"({"id": 400, "content": "hello"})")),
              StatusIs(kInvalid, HasSubstr("\"hello\" has two ids, 259 and 400")));
  const std::string endless(5000, 'x');
  EXPECT_THAT(LoadJson(WithAdded("{\"id\": 400, \"content\": \"" + endless + "\"}")),
              StatusIs(kInvalid, HasSubstr("longer than 4096 bytes")));
}

TEST(TokenizerJson, AcceptsAnAddedTokenThatTheVocabularyHas) {
  const auto tokenizer = LoadJson(WithAdded(R"({"id": 259, "content": "hello", "special": true,
                                                "normalized": false})"));
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_TRUE((*tokenizer)->IsSpecial(259));
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Literal("xhellox"), false), (Ids{'x', 259, 'x'}));
}

TEST(TokenizerJson, RefusesUnknownSteps) {
  EXPECT_THAT(LoadJson(With("normalizer", R"({"type": "StripAccents"})")),
              StatusIs(kUnimplemented, HasSubstr("normalizer.type: \"StripAccents\"")));
  EXPECT_THAT(LoadJson(With("pre_tokenizer", R"({"type": "Whitespace"})")),
              StatusIs(kUnimplemented, HasSubstr("pre_tokenizer.type: \"Whitespace\"")));
  // Without a ByteLevel step in both places.
  EXPECT_THAT(LoadJson(With("pre_tokenizer", "null")),
              StatusIs(kUnimplemented, HasSubstr("decoder.type: \"ByteLevel\"")));
  EXPECT_THAT(LoadJson(With("post_processor", R"({"type": "BertProcessing"})")),
              StatusIs(kUnimplemented, HasSubstr("post_processor.type: \"BertProcessing\"")));
  EXPECT_THAT(LoadJson(With("decoder", R"({"type": "WordPiece"})")),
              StatusIs(kUnimplemented, HasSubstr("decoder.type: \"WordPiece\"")));
  EXPECT_THAT(LoadJson(With("decoder", "null")), StatusIs(kUnimplemented, HasSubstr("decoder")));
}

TEST(TokenizerJson, RefusesStepsWithoutATypeOrBehindByteLevel) {
  EXPECT_THAT(LoadJson(With("normalizer", "{}")),
              StatusIs(kInvalid, HasSubstr("normalizer.type: want a string")));
  EXPECT_THAT(LoadJson(With("pre_tokenizer", R"({"type": "Sequence", "pretokenizers":
                  [{"type": "ByteLevel"}, {"type": "Digits"}]})")),
              StatusIs(kUnimplemented, HasSubstr("a step after ByteLevel")));
}

TEST(TokenizerJson, RefusesBadSplits) {
  const auto split = [](absl::string_view json) { return LoadJson(With("pre_tokenizer", json)); };
  EXPECT_THAT(split(R"({"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"})"),
              StatusIs(kInvalid, HasSubstr("pre_tokenizer.pattern.Regex: regular expression")));
  EXPECT_THAT(split(R"({"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated"})"),
              StatusIs(kInvalid, HasSubstr("pre_tokenizer.pattern.Regex: is empty")));
  EXPECT_THAT(split(R"({"type": "Split", "pattern": "a", "behavior": "Isolated"})"),
              StatusIs(kInvalid, HasSubstr("pre_tokenizer.pattern: want an object")));
  EXPECT_THAT(split(R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Merged"})"),
              StatusIs(kUnimplemented, HasSubstr("pre_tokenizer.behavior: \"Merged\"")));
}

TEST(TokenizerJson, RefusesDeepAndLongSequences) {
  std::string deep = R"({"type": "NFC"})", wide;
  for (int i = 0; i < 20; ++i) deep = R"({"type": "Sequence", "normalizers": [)" + deep + "]}";
  EXPECT_THAT(LoadJson(With("normalizer", deep)), StatusIs(kInvalid, HasSubstr("too deeply")));
  for (int i = 0; i < 100; ++i) wide += std::string(i > 0 ? "," : "") + R"({"type": "NFC"})";
  EXPECT_THAT(
      LoadJson(With("normalizer", R"({"type": "Sequence", "normalizers": [)" + wide + "]}")),
      StatusIs(kInvalid, HasSubstr("more than 64 steps")));
}

TEST(TokenizerJson, RefusesBadTemplates) {
  const auto load = [](const std::string& single, const std::string& ids) {
    return LoadJson(
        With("post_processor", "{\"type\": \"TemplateProcessing\", \"single\": [" + single +
                                   "], \"special_tokens\": {\"B\": {\"ids\": " + ids + "}}}"));
  };
  const std::string text = R"({"Sequence": {"id": "A"}})",
                    token = R"({"SpecialToken": {"id": "B"}})";
  EXPECT_THAT(load(token, "[1]"), StatusIs(kInvalid, HasSubstr("exactly once")));
  EXPECT_THAT(load(text + "," + text, "[1]"), StatusIs(kInvalid, HasSubstr("exactly once")));
  EXPECT_THAT(load(token + "," + text, "[-1]"),
              StatusIs(kInvalid, HasSubstr("post_processor.special_tokens.B.ids")));
  EXPECT_THAT(load(R"({"SpecialToken": {"id": "C"}},)" + text, "[1]"),
              StatusIs(kInvalid, HasSubstr("post_processor.special_tokens.C: missing")));
  EXPECT_THAT(load("7", "[1]"), StatusIs(kInvalid, HasSubstr("post_processor.single[0]")));
}

TEST(TokenizerJson, QuotesHostileTextsSafely) {
  EXPECT_THAT(LoadJson(WithModel("type", "\"a\\nb\\u0000\"")),
              StatusIs(kUnimplemented, HasSubstr("\"a\\nb\\x00\"")));
  EXPECT_THAT(LoadJson(With("post_processor", R"({"type": "TemplateProcessing",
                  "single": [{"SpecialToken": {"id": "a\nb"}}], "special_tokens": {}})")),
              StatusIs(kInvalid, HasSubstr("special_tokens.a\\nb: missing")));
}

TEST(TokenizerJson, ReplacementsThatMultiplyATextAreRefused) {
  const auto normalizer = [](int steps, const std::string& pattern, const std::string& content) {
    std::string list;
    for (int i = 0; i < steps; ++i) {
      absl::StrAppend(&list, i > 0 ? "," : "", R"({"type": "Replace", "pattern": )", pattern,
                      R"(, "content": ")", content, "\"}");
    }
    return With("normalizer", R"({"type": "Sequence", "normalizers": [)" + list + "]}");
  };
  EXPECT_THAT(LoadJson(normalizer(20, R"({"String": "a"})", "b")), IsOk());
  EXPECT_THAT(LoadJson(normalizer(6, R"({"String": "a"})", "aa")), IsOk());  // 64 times
  EXPECT_THAT(LoadJson(normalizer(7, R"({"String": "a"})", "aa")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("64 times longer")));
  // Between all characters: twice as long each time.
  EXPECT_THAT(LoadJson(normalizer(7, R"({"Regex": "x*"})", "a")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("64 times longer")));
}

}  // namespace
}  // namespace switchboard::text
