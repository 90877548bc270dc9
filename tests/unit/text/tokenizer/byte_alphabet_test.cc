#include "text/tokenizer/byte_alphabet.h"

#include <gtest/gtest.h>

#include "tests/unit/text/tokenizer/small_tokenizer.h"

namespace switchboard::text {
namespace {

TEST(ByteAlphabet, SpellsPrintableLatin1AsItself) {
  EXPECT_EQ(BytesOfSpelling("a~!"), std::string("a~!"));
  EXPECT_EQ(BytesOfSpelling("\u00e9"), std::string("\xE9"));
}

TEST(ByteAlphabet, SpellsSpaceAndLineFeedAsShiftedCharacters) {
  EXPECT_EQ(BytesOfSpelling("\u0120"), std::string(" "));
  EXPECT_EQ(BytesOfSpelling("\u010a"), std::string("\n"));
  EXPECT_EQ(BytesOfSpelling("\u0100"), std::string(1, '\0'));
}

TEST(ByteAlphabet, EndsWithTheSoftHyphen) {
  EXPECT_EQ(BytesOfSpelling("\u0143"), std::string("\xAD"));
  EXPECT_EQ(BytesOfSpelling("\u0144"), absl::nullopt);
}

TEST(ByteAlphabet, ReadsBackEveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(BytesOfSpelling(SpellByte(byte)), std::string(1, static_cast<char>(byte))) << byte;
  }
}

TEST(ByteAlphabet, HasNoSpaceAndNoControlCharacters) {
  EXPECT_EQ(BytesOfSpelling("a b"), absl::nullopt);
  EXPECT_EQ(BytesOfSpelling("\x7f"), absl::nullopt);
  EXPECT_EQ(BytesOfSpelling("\u00ad"), absl::nullopt);
  EXPECT_EQ(BytesOfSpelling("\uff5c"), absl::nullopt);
}

TEST(ByteAlphabet, RefusesBytesThatAreNotUtf8) {
  EXPECT_EQ(BytesOfSpelling("a\xE9"), absl::nullopt);
}

}  // namespace
}  // namespace switchboard::text
