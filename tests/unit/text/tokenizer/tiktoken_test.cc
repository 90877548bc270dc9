#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/text/tokenizer/small_tokenizer.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::text {
namespace {

using testing::HasSubstr;

// Every byte with its value as rank, then the given tokens from 256 on.
std::string Ranks(std::initializer_list<absl::string_view> tokens) {
  std::string out;
  int rank = 0;
  for (; rank < 256; ++rank) {
    absl::StrAppend(&out, absl::Base64Escape(std::string(1, static_cast<char>(rank))), " ", rank,
                    "\n");
  }
  for (const absl::string_view token : tokens) {
    absl::StrAppend(&out, absl::Base64Escape(token), " ", rank++, "\n");
  }
  return out;
}

TiktokenSetup WithEndToken() {
  TiktokenSetup setup;
  setup.pattern = "\\p{L}+|\\P{L}+";
  AddedToken end;
  end.id = 500;
  end.text = "<|end|>";
  end.special = true;
  setup.special_tokens = {end};
  return setup;
}

TEST(Tiktoken, MergesTheConcatenationOfLowestRank) {
  const auto tokenizer = Tokenizer::FromTiktoken(Ranks({"bc", "ab", "bcd"}), WithEndToken());
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("abcd"), false), (Ids{'a', 258}));
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("abd"), false), (Ids{257, 'd'}));
}

TEST(Tiktoken, TakesAPieceThatIsATokenWhole) {
  const auto tokenizer = Tokenizer::FromTiktoken(Ranks({"abcd"}), WithEndToken());
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("abcd"), false), Ids{256});
}

TEST(Tiktoken, FindsSpecialTokensInLiteralText) {
  const auto tokenizer = Tokenizer::FromTiktoken(Ranks({}), WithEndToken());
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Literal("a<|end|>"), true), (Ids{'a', 500}));
  EXPECT_EQ((*tokenizer)->Encode(MarkedText::Data("<|end|>"), true), BytesAsIds("<|end|>"));
  EXPECT_EQ((*tokenizer)->Decode({'a', 500}, false), "a<|end|>");
  EXPECT_EQ((*tokenizer)->Decode({'a', 500}, true), "a");
}

TEST(Tiktoken, RefusesBadLines) {
  const auto load = [](absl::string_view more) {
    return Tokenizer::FromTiktoken(absl::StrCat(Ranks({}), more), WithEndToken());
  };
  constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(load("YWI="), StatusIs(kInvalid, HasSubstr("line 257: want BASE64 RANK")));
  EXPECT_THAT(load("YWI= -5"), StatusIs(kInvalid, HasSubstr("line 257")));
  EXPECT_THAT(load("YWI= 1048576"), StatusIs(kInvalid, HasSubstr("0..1048575")));
  EXPECT_THAT(load("!!!! 300"), StatusIs(kInvalid, HasSubstr("line 257")));
  EXPECT_THAT(load(" 300"), StatusIs(kInvalid, HasSubstr("token of 0 bytes")));
  EXPECT_THAT(load("YWI= 7"), StatusIs(kInvalid, HasSubstr("id 7 belongs to both")));
  EXPECT_THAT(load("YWI= 500"), StatusIs(kInvalid, HasSubstr("special token: id 500")));
}

TEST(Tiktoken, NeedsARankForEveryByte) {
  EXPECT_THAT(Tokenizer::FromTiktoken("YQ== 0\n", WithEndToken()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("byte 0 has no rank")));
}

}  // namespace
}  // namespace switchboard::text
