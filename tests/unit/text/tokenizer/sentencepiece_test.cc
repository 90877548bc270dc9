// tokenizer.json files in the SentencePiece style: characters, byte fallback, U+2581 for spaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/text/tokenizer/small_tokenizer.h"
#include "text/tokenizer/incremental_decoder.h"

namespace switchboard::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;

// 0 <unk>, 1 <s>, 3..258 bytes, 300 U+2581, 301 a, 302 b, 303 ab, 304 U+2581 ab.
// Text is prefixed and its spaces replaced as `stage` says.
JsonObject File(absl::string_view stage, absl::string_view json) {
  JsonObject vocab;
  vocab["<unk>"] = 0;
  vocab["<s>"] = 1;
  const char* digits = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    vocab[std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">"] = 3 + byte;
  }
  int next = 300;
  for (const char* text : {"\u2581", "a", "b", "ab", "\u2581ab"}) vocab[text] = next++;
  JsonObject file = ParseJson(R"({
      "added_tokens": [{"id": 1, "content": "<s>", "special": true, "normalized": false}],
      "decoder": {"type": "Sequence", "decoders": [
          {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
          {"type": "ByteFallback"}, {"type": "Fuse"},
          {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
      "model": {"type": "BPE", "byte_fallback": true, "fuse_unk": true, "unk_token": "<unk>",
                "merges": [["a", "b"], ["\u2581", "ab"]]}})")
                        ->get_object();
  file["model"].get_object()["vocab"] = vocab;
  file[ToBoost(stage)] = *ParseJson(json);
  return file;
}

JsonObject Prepending() {
  return File("normalizer", R"({"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "\u2581"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]})");
}

JsonObject WithMetaspace(absl::string_view options) {
  return File("pre_tokenizer", absl::StrCat(R"({"type": "Metaspace", "replacement": "\u2581")",
                                            options.empty() ? "" : ", ", options, "}"));
}

Ids Encode(const JsonObject& file, const MarkedText& text) {
  const auto tokenizer = LoadJson(file);
  CHECK(tokenizer.ok());
  return (*tokenizer)->Encode(text, false);
}

TEST(SentencePiece, PrependsToEverySegmentBetweenAddedTokens) {
  EXPECT_THAT(Encode(Prepending(), MarkedText::Literal("ab<s>ab")), ElementsAre(304, 1, 304));
  EXPECT_THAT(Encode(Prepending(), MarkedText::Literal("<s>")), ElementsAre(1));
  EXPECT_THAT(Encode(Prepending(), MarkedText::Literal(" ab")), ElementsAre(300, 304));
}

TEST(SentencePiece, PrependsByMetaspaceAtTheStartOfTheWholeTextOnly) {
  const JsonObject first = WithMetaspace(R"("prepend_scheme": "first", "split": false)");
  EXPECT_THAT(Encode(first, MarkedText::Literal("ab<s>ab")), ElementsAre(304, 1, 303));
  EXPECT_THAT(Encode(first, MarkedText::Literal("<s>ab")), ElementsAre(1, 303));
  EXPECT_THAT(Encode(first, MarkedText::Literal(" ab")), ElementsAre(304));  // has one
}

TEST(SentencePiece, PrependsByMetaspaceAlwaysOrNever) {
  for (const char* options : {R"("prepend_scheme": "always")", R"("add_prefix_space": true)", ""}) {
    EXPECT_THAT(Encode(WithMetaspace(options), MarkedText::Literal("ab<s>ab")),
                ElementsAre(304, 1, 304))
        << options;
  }
  for (const char* options : {R"("prepend_scheme": "never")", R"("add_prefix_space": false)"}) {
    EXPECT_THAT(Encode(WithMetaspace(options), MarkedText::Literal("ab ab")), ElementsAre(303, 304))
        << options;
  }
}

TEST(SentencePiece, MergesAcrossSpacesUnlessMetaspaceSplits) {
  const auto load = [](bool split) {
    JsonObject file = WithMetaspace(split ? "\"split\": true" : "\"split\": false");
    JsonObject& model = file["model"].get_object();
    model["vocab"].get_object()["b\u2581"] = 305;
    model["merges"].get_array().insert(model["merges"].get_array().begin(),
                                       JsonArray{Json("b"), Json("\u2581")});
    return file;
  };
  EXPECT_THAT(Encode(load(false), MarkedText::Literal("ab a")), ElementsAre(300, 301, 305, 301));
  EXPECT_THAT(Encode(load(true), MarkedText::Literal("ab a")), ElementsAre(304, 300, 301));
}

TEST(SentencePiece, SpellsCharactersWithoutATokenInBytes) {
  EXPECT_THAT(Encode(Prepending(), MarkedText::Data("a\u00e9b")),
              ElementsAre(300, 301, 3 + 0xC3, 3 + 0xA9, 302));
}

TEST(SentencePiece, FusesWhatHasNeitherTokenNorBytes) {
  JsonObject file = Prepending();
  JsonObject& model = file["model"].get_object();
  model["byte_fallback"] = false;
  EXPECT_THAT(Encode(file, MarkedText::Data("xya")), ElementsAre(300, 0, 301));
  model["fuse_unk"] = false;
  EXPECT_THAT(Encode(file, MarkedText::Data("xya")), ElementsAre(300, 0, 0, 301));
  model["unk_token"] = nullptr;
  EXPECT_THAT(Encode(file, MarkedText::Data("xab")), ElementsAre(300, 303));
}

TEST(SentencePiece, NeverMakesAControlTokenOfData) {
  const Ids spelt = {300, 3 + '<', 3 + 's', 3 + '>'};
  EXPECT_EQ(Encode(Prepending(), MarkedText::Data("<s>")), spelt);
  // Not even where a piece that is a token as a whole is taken as it is, or by merges.
  JsonObject whole = WithMetaspace(R"("prepend_scheme": "never")");
  whole["model"].get_object()["ignore_merges"] = true;
  EXPECT_EQ(Encode(whole, MarkedText::Data("<s>")), (Ids{3 + '<', 3 + 's', 3 + '>'}));
  JsonObject merged = Prepending();
  JsonObject& model = merged["model"].get_object();
  for (const auto& [text, id] : {std::pair("<", 310), {"s", 311}, {">", 312}, {"<s", 313}}) {
    model["vocab"].get_object()[text] = id;
  }
  model["merges"].get_array().push_back(JsonArray{Json("<"), Json("s")});
  model["merges"].get_array().push_back(JsonArray{Json("<s"), Json(">")});
  EXPECT_EQ(Encode(merged, MarkedText::Data("<s>")), (Ids{300, 313, 312}));
}

TEST(SentencePiece, DropsTheFirstSpaceOfTheWholeTextWhenDecoding) {
  const auto tokenizer = LoadJson(Prepending());
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Decode({304, 304}, false), "ab ab");
  EXPECT_EQ((*tokenizer)->Decode({300, 304}, false), " ab");
  EXPECT_EQ((*tokenizer)->Decode({1, 304}, true), "ab");
  EXPECT_EQ((*tokenizer)->Decode({1, 304}, false), "<s> ab");
  EXPECT_EQ((*tokenizer)->Decode({3 + 0xC3, 3 + 0xA9, 3 + 0xC3}, false), "\u00e9\uFFFD");
}

TEST(SentencePiece, DropsTheFirstSpaceOfAStreamOnce) {
  const auto tokenizer = LoadJson(Prepending());
  ASSERT_THAT(tokenizer, IsOk());
  IncrementalDecoder decoder(tokenizer->get(), /*skip_special=*/true);
  EXPECT_EQ(decoder.Add(1), "");
  EXPECT_EQ(decoder.Add(300), "");
  EXPECT_EQ(decoder.Add(304), " ab");
  EXPECT_EQ(decoder.Finish(), "");
  EXPECT_EQ(decoder.Add(304), "ab");  // as new
}

TEST(SentencePiece, DecodesByMetaspaceWithoutTheMarksOfTheFirstToken) {
  JsonObject file = WithMetaspace("");
  file["decoder"] = *ParseJson(R"({"type": "Metaspace", "replacement": "\u2581"})");
  const auto tokenizer = LoadJson(file);
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Decode({300, 304, 304}, false), " ab ab");
  EXPECT_EQ((*tokenizer)->Decode({304, 304}, false), "ab ab");
}

TEST(SentencePiece, RefusesDecodersWithOtherEffects) {
  const auto load = [](absl::string_view decoder) {
    JsonObject file = Prepending();
    file["decoder"] = *ParseJson(decoder);
    return LoadJson(file);
  };
  EXPECT_THAT(load("null"), StatusIs(kUnimplemented, HasSubstr("decoder")));
  EXPECT_THAT(load(R"({"type": "Strip", "content": " ", "start": 1, "stop": 0})"),
              StatusIs(kUnimplemented, HasSubstr("decoder.type")));  // of every token
  EXPECT_THAT(load(R"({"type": "Sequence", "decoders": [{"type": "Fuse"},
                       {"type": "Strip", "content": " ", "start": 2, "stop": 0}]})"),
              StatusIs(kUnimplemented, HasSubstr("decoder.decoders[1].content")));
  EXPECT_THAT(load(R"({"type": "Sequence", "decoders": [{"type": "ByteFallback"},
                       {"type": "Metaspace", "replacement": "_"}]})"),
              StatusIs(kUnimplemented, HasSubstr("decoder.decoders[1].type")));
}

TEST(SentencePiece, RefusesBadMetaspace) {
  EXPECT_THAT(LoadJson(WithMetaspace(R"("prepend_scheme": "last")")),
              StatusIs(kUnimplemented, HasSubstr("pre_tokenizer.prepend_scheme: \"last\"")));
  EXPECT_THAT(LoadJson(WithMetaspace(R"("prepend_scheme": 1)")),
              StatusIs(kInvalid, HasSubstr("pre_tokenizer.prepend_scheme: want a string")));
  EXPECT_THAT(LoadJson(File("pre_tokenizer", R"({"type": "Metaspace", "replacement": ""})")),
              StatusIs(kInvalid, HasSubstr("pre_tokenizer.replacement: is empty")));
}

TEST(SentencePiece, EncodesAMegabyteWithoutASpace) {
  const auto tokenizer = LoadJson(Prepending());
  ASSERT_THAT(tokenizer, IsOk());
  const Ids ids = (*tokenizer)->Encode(MarkedText::Data(std::string(1'000'000, 'a')), false);
  EXPECT_EQ(ids.size(), 1'000'001u);
}

}  // namespace
}  // namespace switchboard::text
